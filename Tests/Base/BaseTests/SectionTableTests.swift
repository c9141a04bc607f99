import Base
import Testing

@Suite struct SectionTableTests {
  private enum Name: String, CaseIterable {
    case first
    case second
  }

  @Test func `a section with one of the sizes is given`() {
    [1, 2, 3, 4, 5, 6].withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      let sections = SectionTable<Name> { $0 == .first ? bytes : nil }
      #expect((try? sections.expect(.first, [4, bytes.count])) != nil)
      #expect((try? sections.expect(.second, [0])) != nil)
      #expect((try? sections.expect(.first, multipleOf: 3)) != nil)
    }
  }

  @Test func `a size that does not fit is reported with the expected one`() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6]
    bytes.withUnsafeBytes { bytes in
      let sections = SectionTable<Name> { $0 == .first ? bytes : nil }
      #expect(throws: SectionError("section first: expected 4 or 5 bytes, found 6")) {
        try sections.expect(.first, [4, 5])
      }
      #expect(throws: SectionError("section first: expected records of 4 bytes, found 6 bytes")) {
        try sections.expect(.first, multipleOf: 4)
      }
      #expect(throws: SectionError("section second: expected a table, found 0 bytes")) {
        _ = try sections.table(.second)
      }
    }
  }
}
