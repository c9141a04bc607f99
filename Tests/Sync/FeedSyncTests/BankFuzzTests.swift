import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

/// Files that somebody spoilt are refused or read, and never trap; accepted records can be stored and opened again.
@Suite("Spoilt bank files")
struct BankFuzzTests {
  @Test(arguments: [FeedName.swedbankEE, .imaginary])
  func `a mutated file is refused, or becomes an index`(feed: FeedName) throws {
    let folder = try TemporaryFolder()
    let importer = BankImporter(try SyncConfiguration(environment: [:], user: 1_000))
    let bytes = try Repository.bytes(Repository.path("contrib/data/sample/\(feed.rawValue).json"))
    // What JSON is made of, so that many mutations still are JSON, with values of other types in other places.
    let pieces = [
      "null", "true", "-1", "1e999", "91", "\"\"", "\" \"", "[]", "{}", "[[", "\"\\u0000\"", "\"\\ud800\"", ",",
    ]
    var opened = 0
    for seed in UInt64(0)..<1_500 {
      var random = SeededGenerator(seed: seed)
      var spoilt = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let start = Int.random(in: 0..<spoilt.count, using: &random)
        let end = min(spoilt.count, start + Int.random(in: 0...9, using: &random))
        let piece = seed % 3 == 0 ? [UInt8.random(in: 0...255, using: &random)] : values(spoilt, start, pieces, &random)
        spoilt.replaceSubrange(start..<end, with: piece)
      }
      guard let image = try? importer.image(of: [feed: SourceCopy(bytes: spoilt)]) else { continue }
      try image.write(to: folder.path("banks.resident"))
      _ = try Verification.line(for: folder.path("banks.resident"))
      opened += 1
    }
    #expect(opened > 50)
  }

  /// A piece of JSON, or a copy of what stands elsewhere.
  private func values(
    _ bytes: [UInt8], _ start: Int, _ pieces: [String], _ random: inout SeededGenerator
  ) -> [UInt8] {
    if Bool.random(using: &random) { return Array(pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8) }
    let from = Int.random(in: 0..<bytes.count, using: &random)
    return Array(bytes[from..<min(bytes.count, from + 20)])
  }
}
