import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("Verification of locations")
struct BankVerificationTests {
  private let folder: TemporaryFolder
  private let path: String
  private let image: ResidentImage

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("banks.resident")
    var copies: [FeedName: SourceCopy] = [:]
    for feed in Subject.banks.feeds {
      let bytes = try Repository.bytes(Repository.path("contrib/data/sample/\(feed.rawValue).json"))
      copies[feed] = SourceCopy(bytes: bytes, isSample: true)
    }
    image = try BankImporter(try SyncConfiguration(environment: [:], user: 1_000)).image(of: copies)
  }

  @Test func `a sound index is reported with its generation and counts`() throws {
    try image.write(to: path)
    #expect(
      try Verification.line(for: path)
        == "\(path): sound bank index, generation \(image.generation), \(image.header.fileSize) bytes, "
        + "24 records of 4 feeds, 0 skipped")
  }

  @Test func `a flipped bit is found, wherever it is`() throws {
    let bytes = image.bytes
    for offset in stride(from: 0, to: bytes.count, by: 7) {
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8(offset % 8)
      try folder.write("banks.resident", damaged)
      let error = #expect(throws: FeedError.self, "byte \(offset)") { try Verification.line(for: path) }
      #expect(error?.reason == .badData)
    }
  }

  @Test(arguments: ["ROWS", "IDOR", "TORD", "CATE", "BNKR", "HOUR", "COOR", "SPAT", "RSPN"] as [FourBytes])
  func `sections that contradict the rows are found despite valid checksums`(section: FourBytes) throws {
    try image.write(to: path)
    let file = try ResidentFile(path: path, kind: ResidentBanks.kind)
    var sections = withExtendedLifetime(file) {
      file.header.sections.filter { $0.name != BlockSums.section }.map {
        (name: $0.name, bytes: file[$0.name].map(Array.init) ?? [])
      }
    }
    let index = try #require(sections.firstIndex { $0.name == section })
    spoil(&sections[index].bytes, section)
    try ResidentImage(kind: ResidentBanks.kind, fingerprint: 1, sections: sections).write(to: path)
    let error = #expect(throws: FeedError.self) { try Verification.line(for: path) }
    #expect(error?.description.contains("section \(section)") == true, "\(error?.description ?? "")")
  }

  /// Columns get their first number twice, the tree its last item, texts and rows another last byte, headings an
  /// earlier start.
  private func spoil(_ bytes: inout [UInt8], _ section: FourBytes) {
    switch section {
    case "IDOR", "TORD": bytes.replaceSubrange(4..<8, with: bytes[0..<4])
    case "SPAT": bytes.replaceSubrange((bytes.count - 4)..., with: bytes[(bytes.count - 8)..<(bytes.count - 4)])
    case "CATE", "BNKR": bytes[0] ^= 1
    case "RSPN": bytes[12] += 1
    case "COOR": bytes[0] ^= 1
    default: bytes[bytes.count - 1] ^= 0x80
    }
  }
}
