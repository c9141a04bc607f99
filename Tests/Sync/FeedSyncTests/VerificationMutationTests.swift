import Cities
import CitiesProtocol
import FeedSync
import Money
import Resident
import TestSupport
import Testing

/// Hostile files: every section changed in turn, with right checksums, must be reported.
@Suite struct VerificationMutationTests {
  /// A kind of file and the properties of its sections.
  struct Sample: CustomTestStringConvertible, Sendable {
    let kind: ResidentKind
    let image: ResidentImage
    /// Sections that hold free values, such as a telephone number or a count: another value there is another sound
    /// file.
    let free: Set<FourBytes>

    var testDescription: String { kind.name }
  }

  static let samples: [Sample] = (try? [cities(), banks(), trade()]) ?? []

  private static func cities() throws -> Sample {
    var builder = CityIndexBuilder()
    for number in UInt64(1)...60 {
      let names = ["Alba", "Ālba", "Łódź, Górna", "Zug \(number)", "São Paulo", "Besançon \(number % 7)"]
      _ = try builder.add(
        City(
          id: number * number * 100_000_007, name: names[Int(number) % names.count],
          country: ["ES", "it", "LV"][Int(number) % 3], latitude: Double(number) - 30.5,
          longitude: Double(number) * 2.25,
          population: number % 4 == 0 ? nil : number * 1_000))
    }
    let image = try ResidentCities.image(of: builder, fingerprint: 7, skipped: 2, replaced: 1)
    return Sample(kind: ResidentCities.kind, image: image, free: ["META", "ROWS"])
  }

  private static func banks() throws -> Sample {
    var copies: [FeedName: SourceCopy] = [:]
    for feed in Subject.banks.feeds {
      let bytes = try Repository.bytes(Repository.path("contrib/data/sample/\(feed.rawValue).json"))
      copies[feed] = SourceCopy(bytes: bytes, isSample: true)
    }
    let image = try BankImporter(try SyncConfiguration(environment: [:], user: 1_000)).image(of: copies)
    return Sample(kind: ResidentBanks.kind, image: image, free: ["META", "ROWS"])
  }

  private static func trade() throws -> Sample {
    let copies = [
      FeedName.rates: SourceCopy(bytes: Array(TradeText.rates.utf8)),
      .transactions: SourceCopy(bytes: Array(TradeText.transactions.utf8)),
    ]
    return Sample(
      kind: ResidentTrade.kind, image: try TradeImporter().image(of: copies), free: ["META", "RATE", "SKUS", "TXNS"])
  }

  @Test func `there is a sample of every kind`() { #expect(Self.samples.count == 3) }

  @Test(arguments: samples)
  func `the sample is sound before it is changed`(sample: Sample) throws {
    let file = try SpoiltFile(sample)
    #expect(try file.problem { _ in } == nil)
  }

  @Test(arguments: samples)
  func `a section of zeros, half a section and no section are reported`(sample: Sample) throws {
    let file = try SpoiltFile(sample)
    for (index, section) in file.sections.enumerated() where !section.bytes.isEmpty {
      let changes: [(String, (inout [UInt8]) -> Void)] = [
        ("zeros", { $0 = [UInt8](repeating: 0, count: $0.count) }),
        ("half", { $0.removeLast(($0.count + 1) / 2) }),
        ("none", { $0 = [] }),
        ("a byte more", { $0.append(0) }),
      ]
      for (name, change) in changes {
        var bytes = section.bytes
        change(&bytes)
        // Numbers that are all 0 as they should be, and sales of nothing, which are sales all the same.
        guard bytes != section.bytes, name != "zeros" || section.name != "TXNS" else { continue }
        let problem = try file.problem { $0[index].bytes = bytes }
        #expect(problem?.isEmpty == false, "\(section.name) with \(name)")
      }
    }
  }

  @Test(arguments: samples)
  func `a flipped bit in a section that follows from the records is reported with its section`(sample: Sample) throws {
    let file = try SpoiltFile(sample)
    var random = SeededGenerator(seed: 6)
    for (index, section) in file.sections.enumerated() where !sample.free.contains(section.name) {
      for _ in 0..<min(section.bytes.count, 8) {
        let (offset, bit) = (
          Int.random(in: section.bytes.indices, using: &random), Int.random(in: 0..<8, using: &random)
        )
        let problem = try file.problem { $0[index].bytes[offset] ^= 1 << UInt8(bit) }
        #expect(
          problem?.contains("section") == true, "\(section.name), byte \(offset), bit \(bit): \(problem ?? "sound")")
      }
    }
  }

  @Test(arguments: samples)
  func `two entries that changed places are reported`(sample: Sample) throws {
    let file = try SpoiltFile(sample)
    let size = sample.kind.code == ResidentTrade.kind.code ? 8 : 4
    for (index, section) in file.sections.enumerated() where section.bytes.count >= 4 * size && section.name != "META" {
      var bytes = section.bytes
      let last = bytes.count / size - 1
      for byte in 0..<size { bytes.swapAt(byte, last * size + byte) }
      guard bytes != section.bytes else { continue }
      #expect(try file.problem { $0[index].bytes = bytes } != nil, "\(section.name)")
    }
  }

  @Test(arguments: samples)
  func `a section too many, too few, or in another place is reported`(sample: Sample) throws {
    let file = try SpoiltFile(sample)
    #expect(try file.problem { $0.append((name: "MORE", bytes: [1])) } != nil)
    #expect(try file.problem { $0.swapAt($0.count - 1, $0.count - 2) } != nil)
    for index in file.sections.indices { #expect(try file.problem { $0.remove(at: index) } != nil) }
  }
}

/// A file whose sections a test changes, with the checksums that belong to the changed ones.
private struct SpoiltFile {
  typealias Sections = [(name: FourBytes, bytes: [UInt8])]

  let sections: Sections
  private let folder: TemporaryFolder
  private let path: String
  private let sample: VerificationMutationTests.Sample

  init(_ sample: VerificationMutationTests.Sample) throws {
    folder = try TemporaryFolder()
    path = folder.path(sample.kind.fileName)
    self.sample = sample
    try sample.image.write(to: path)
    let file = try ResidentFile(path: path, kind: sample.kind)
    sections = withExtendedLifetime(file) {
      file.header.sections.filter { $0.name != BlockSums.section }.map {
        (name: $0.name, bytes: file[$0.name].map(Array.init) ?? [])
      }
    }
  }

  /// What verification says to the changed file; `nil` if it calls it sound.
  func problem(_ change: (inout Sections) -> Void) throws -> String? {
    var changed = sections
    change(&changed)
    let image = ResidentImage(kind: sample.kind, fingerprint: sample.image.header.fingerprint, sections: changed)
    try folder.write(sample.kind.fileName, image.bytes)
    do throws(FeedError) {
      _ = try Verification.line(for: path)
      return nil
    } catch {
      return error.description
    }
  }
}
