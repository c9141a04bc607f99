import FoundationEssentials
import Glibc

/// The city list of the specification, 209,557 records, where it lies beside the checkout.
package enum RealCities {
  /// One record, as it is written.
  package struct Record: Decodable, Sendable {
    /// The source's id.
    package var id: UInt64
    /// The name.
    package var name: String
    /// The country's code.
    package var country: String
    /// Where it is.
    package var coord: Coordinate

    enum CodingKeys: String, CodingKey {
      case id = "_id"
      case name, country, coord
    }
  }

  /// A position in degrees.
  package struct Coordinate: Decodable, Sendable {
    /// Degrees north.
    package var lat: Double
    /// Degrees east.
    package var lon: Double
  }

  /// Where the list is; `nil` if it is absent, and tests of it are skipped.
  package static let path = Repository.sharedData("cities.json.gz")

  /// All records, in the order of the list, read once a process; empty if it is absent.
  package static let records: [Record] = {
    guard let path else { return [] }
    do {
      return try JSONDecoder().decode([Record].self, from: Data(decompressed(path)))
    } catch {
      preconditionFailure("\(path): \(error)")
    }
  }()

  /// What gunzip(1) makes of the file at `path`; empty if it cannot be started.
  private static func decompressed(_ path: String) -> [UInt8] {
    let quoted = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
    guard let pipe = popen("exec gunzip -c '\(quoted)'", "re") else { return [] }
    defer { pclose(pipe) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { result += chunk[..<count] }
    return result
  }
}
