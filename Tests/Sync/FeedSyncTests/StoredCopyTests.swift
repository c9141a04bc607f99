import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

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

  @Test("what is written is read again", arguments: copies)
  func roundTrip(copy: StoredCopy) throws {
    #expect(StoredCopy(file: copy.head + copy.bytes) == copy)
    let folder = try TemporaryFolder()
    let store = SourceStore(state: StateFolder(path: folder.path("state")))
    #expect(try store.read(.rates) == .absent)
    try store.write(copy, of: .rates)
    #expect(try store.read(.rates) == .sound(copy))
  }

  @Test("any flipped bit is found, and any cut, and a byte too many")
  func damage() throws {
    let file = Self.copies[1].head + Self.copies[1].bytes
    for offset in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[offset] ^= 1 << UInt8(bit)
        #expect(StoredCopy(file: damaged) == nil, "byte \(offset), bit \(bit)")
      }
      #expect(StoredCopy(file: Array(file.prefix(offset))) == nil, "cut to \(offset) bytes")
    }
    #expect(StoredCopy(file: file + [0]) == nil)
  }

  @Test("an age is told from the confirmation on, and none before it")
  func age() {
    let copy = StoredCopy(.init(url: "", confirmed: 100), [])
    #expect(copy.age(at: 99) == nil && copy.age(at: 100) == 0 && copy.age(at: 250) == 150)
  }
}
