import CBOR
import Cities
import CitiesProtocol

extension ResidentCities {
  /// Proves that no reply can be spoilt by the rows, orders and keys at `ranks`.
  ///
  /// Checksums show that a file is as its writer left it, not who wrote it. This keeps foreign bytes out of replies; whether
  /// they are the right ones is for ``verify()``.
  ///
  /// - Throws: ``ResidentError`` with the section and the first contradiction in it.
  /// - Complexity: O(k) in the bytes of the rows and keys at `ranks`, about 0.3 µs per city.
  package func prove(_ ranks: Range<Int>) throws(ResidentError) {
    if let problem = index.problem(at: ranks) { throw file.error(.contents(problem.message)) }
    for rank in ranks {
      if let problem = Self.problem(ofRows: index.row(at: rank), count: 1) {
        throw file.error(.contents("section ROWS, rank \(rank): \(problem)"))
      }
    }
  }

  /// Why `bytes` are not `count` rows back to back; `nil` if they are.
  ///
  /// - Complexity: O(n) in the bytes; allocates nothing unless there is a problem.
  package static func problem(ofRows bytes: UnsafeRawBufferPointer, count: Int) -> String? {
    var reader = CBORReader(bytes)
    do throws(CBORError) {
      for _ in 0..<count {
        if let problem = try problem(ofNextRow: &reader) { return problem }
      }
      try reader.finish()
      return nil
    } catch {
      return "the row is no encoded city: \(error)"
    }
  }

  /// Reads one row: the keys of ``CityRow`` and no other, with values that ``CityRule`` accepts.
  private static func problem(ofNextRow reader: inout CBORReader) throws(CBORError) -> String? {
    var map = try reader.readMap()
    var found = 0
    while let key = try reader.nextKey(of: &map) {
      let isSound: Bool
      if CBORReader.text(key, is: "id") {
        isSound = try reader.readUnsigned() > 0
      } else if CBORReader.text(key, is: "lat") {
        isSound = abs(try reader.readDouble()) <= 90
      } else if CBORReader.text(key, is: "lon") {
        isSound = abs(try reader.readDouble()) <= 180
      } else if CBORReader.text(key, is: "name") {
        isSound = (1...CityRule.maximumNameBytes).contains(try reader.readText().count)
      } else if CBORReader.text(key, is: "country") {
        isSound = try reader.readText().count <= CityRule.maximumCountryBytes
      } else if CBORReader.text(key, is: "population") {
        isSound = try reader.readUnsigned() <= CityRule.maximumPopulation
        found -= 1
      } else {
        isSound = false
      }
      guard isSound else { return "the row has an unexpected \"\(String(decoding: key.prefix(32), as: UTF8.self))\"" }
      found += 1
    }
    return found == requiredKeys ? nil : "the row has \(found) of \(requiredKeys) keys"
  }

  /// Keys that every row has: all but `population`.
  private static var requiredKeys: Int { 5 }
}
