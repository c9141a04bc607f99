import CitiesProtocol
import Resident
import TestSupport
import Testing

@testable import FeedSync

@Suite("Stored copy")
struct StoredCopyTests {
  private static let copies = [
    StoredCopy(.init(url: "", confirmed: 0), []),
    StoredCopy(
      .init(
        url: "https://example.org/é", confirmed: 1_700_000_000,
        validators: SourceValidators(etag: "W/\"x\"", modified: "Mon, 01 Jan 2024 00:00:00 GMT"), records: 3,
        skipped: 1,
        sample: true), Array("[1,2,3]".utf8)),
    StoredCopy(.init(url: "/p", confirmed: -1), [UInt8](repeating: 7, count: 100_000)),
  ]

  private let folder: TemporaryFolder
  private let store: SubjectStore<TestImporter>

  init() throws {
    folder = try TemporaryFolder()
    store = SubjectStore(TestImporter(), state: StateFolder(path: folder.path("state")))
  }

  @Test(arguments: copies) func `what is written is read again, whole and its header alone`(copy: StoredCopy) throws {
    #expect(try store.read(.rates) == .absent)
    try store.write(copy, of: .rates)
    #expect(try store.read(.rates) == .sound(copy))
    #expect(try store.check(.rates) == .sound(copy.header))
    #expect(try store.header(of: .rates) == .sound(copy.header))
    #expect(try Repository.bytes(store.path(of: .rates)) == copy.header.encoded + copy.bytes)
  }

  @Test(arguments: copies)
  func `another header takes the place of the old one, and the body stays`(copy: StoredCopy) throws {
    try store.write(copy, of: .rates)
    var changed = copy
    (changed.header.details.confirmed, changed.header.details.validators.etag) = (1_800_000_000, "\"another\"")
    try store.write(changed.header, of: .rates)
    #expect(try store.read(.rates) == .sound(changed))
  }

  @Test func `a header for another body changes nothing: another process has stored a newer copy`() throws {
    try store.write(Self.copies[2], of: .rates)
    try store.write(Self.copies[1].header, of: .rates)
    #expect(try store.read(.rates) == .sound(Self.copies[2]))
  }

  @Test func `any flipped bit is found, and any cut, and a byte too many`() throws {
    let copy = Self.copies[1]
    try store.write(copy, of: .rates)
    let file = copy.header.encoded + copy.bytes
    func isDamaged(_ bytes: some Sequence<UInt8>) throws -> Bool {
      try folder.write("state/sources/rates.source", bytes)
      return try store.read(.rates) == .damaged && store.check(.rates) == .damaged
    }
    for offset in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[offset] ^= 1 << UInt8(bit)
        #expect(try isDamaged(damaged), "byte \(offset), bit \(bit)")
      }
      #expect(try isDamaged(file.prefix(offset)), "cut to \(offset) bytes")
    }
    #expect(try isDamaged(file + [0]))
  }

  @Test(arguments: [UInt64.max, UInt64(Int64.max), UInt64(Int64.max) + 1, 8])
  func `a header that claims more than follows it is refused, however much that is`(length: UInt64) throws {
    let copy = Self.copies[1]
    var header = copy.header.encoded
    withUnsafeBytes(of: length.littleEndian) { header.replaceSubrange(16..<24, with: $0) }
    // The header itself is right: its checksum is that of what it claims.
    let checksum = CRC32C.checksum(of: header[..<32] + header[36...])
    withUnsafeBytes(of: checksum.littleEndian) { header.replaceSubrange(32..<36, with: $0) }
    try store.write(copy, of: .rates)
    try folder.write("state/sources/rates.source", header + copy.bytes)
    guard case .sound(let claimed) = try store.header(of: .rates) else {
      Issue.record("the header is not read")
      return
    }
    #expect(claimed.length == length && claimed.digest == copy.header.digest)
    #expect(try store.check(.rates) == .damaged)
    #expect(try store.read(.rates) == .damaged)
  }

  @Test func `notes that do not fit into the details are left out, the last ones first, and the copy is read again`()
    throws
  {
    let reason = String(repeating: "x", count: 10_000)
    var details = StoredCopy.Details(url: "https://example.org/", confirmed: 7, records: 3, skipped: 20)
    details.notes = (1...20).map { RecordNote(record: $0, fate: .skipped, reason: reason) }
    let copy = StoredCopy(details, Array("[1,2,3]".utf8))
    try store.write(copy, of: .rates)
    guard case .sound(let found) = try store.read(.rates) else {
      Issue.record("the copy cannot be read")
      return
    }
    #expect(found.bytes == copy.bytes && found.header.details.notes?.map(\.record) == Array(1...6))
    var others = found.header.details
    others.notes = details.notes
    #expect(others == details)
  }

  @Test func `an age counts from the confirmation on; before it there is none`() {
    let details = StoredCopy.Details(url: "", confirmed: 100)
    #expect(details.age(at: 99) == nil && details.age(at: 100) == 0 && details.age(at: 250) == 150)
  }
}
