import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("Verification")
struct VerificationTests {
  let folder: TemporaryFolder
  var path: String { folder.path("cities.index") }

  init() throws { folder = try TemporaryFolder() }

  @Test func `a sound index is reported with its generation and counts`() throws {
    let made = try imported(list(record(1, "A"), record(2, ""), record(3, "C"), record(3, "C")))
    try made.image.write(to: path)
    #expect(
      try Verification.line(for: path)
        == "\(path): sound city index, generation \(made.image.generation), \(made.image.header.fileSize) bytes, "
        + "4 records read: 2 kept, 1 repeated, 0 replaced, 1 skipped")
  }

  @Test func `only the checksums are compared if that is asked`() throws {
    let made = try imported(list(record(1, "A"))).image
    try made.write(to: path)
    #expect(
      try Verification.line(for: path, checksumsOnly: true)
        == "\(path): checksums match: city index, generation \(made.generation), \(made.header.fileSize) bytes, "
        + "records not read")
    try ResidentFeeds.image([FeedReport(feed: .cities)]).write(to: path)
    #expect(try Verification.line(for: path, checksumsOnly: true).contains("checksums match: feed report"))
  }

  @Test func `a sound feed report is reported as one`() throws {
    let image = try ResidentFeeds.image([FeedReport(feed: .cities)])
    try image.write(to: path)
    #expect(
      try Verification.line(for: path)
        == "\(path): sound feed report, generation \(image.generation), \(image.header.fileSize) bytes, 1 feeds")
  }

  @Test func `any flipped bit of an index is found`() throws {
    let bytes = try imported(list(record(1, "A"))).image.bytes
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8(offset % 8)
      try folder.write("cities.index", damaged)
      for checksumsOnly in [false, true] {
        let error = #expect(throws: FeedError.self, "byte \(offset)") {
          try Verification.line(for: path, checksumsOnly: checksumsOnly)
        }
        #expect(error?.reason == .badData)
      }
    }
  }

  @Test func `rows that are not cities are found despite valid checksums`() throws {
    let image = try imported(list(record(1, "A"), record(2, "B"))).image
    try image.write(to: path)
    let file = try ResidentFile(path: path, kind: ResidentCities.kind)
    var sections = withExtendedLifetime(file) {
      file.header.sections.filter { $0.name != BlockSums.section }.map {
        (name: $0.name, bytes: file[$0.name].map(Array.init) ?? [])
      }
    }
    let rows = try #require(sections.firstIndex { $0.name == "ROWS" })
    sections[rows].bytes[0] = 0xff
    try ResidentImage(kind: ResidentCities.kind, fingerprint: 1, sections: sections).write(to: path)
    let error = #expect(throws: FeedError.self) { try Verification.line(for: path) }
    #expect(error?.description.contains("rank 0: the row is not an encoded city") == true)
    #expect(try Verification.line(for: path, checksumsOnly: true).hasSuffix("records not read"))
  }

  @Test func `a missing file is an input error, a foreign one bad data`() throws {
    let missing = #expect(throws: FeedError.self) { try Verification.line(for: path) }
    #expect(missing?.reason == .io)
    try folder.write("cities.index", Array("[]".utf8))
    let foreign = #expect(throws: FeedError.self) { try Verification.line(for: path) }
    #expect(foreign?.reason == .badData)
  }
}
