import Base
import TestSupport
import Testing

@Suite("flat arrays in foreign memory")
struct ColumnsTests {
  @Test func `numbers come back by their index, and an index outside gives 0`() {
    let numbers: [UInt32] = [7, .max, 0, 1]
    [UInt8](column: numbers).withUnsafeBytes {
      let column = Column($0)
      #expect(column.count == 4 && (0..<4).map { column[$0] } == numbers.map(Int.init))
      #expect([-1, 4, .max, .min].allSatisfy { column[$0] == 0 })
      #expect(Column(UnsafeRawBufferPointer(rebasing: $0[1...])).count == 3, "an incomplete number is left out")
    }
  }

  @Test(arguments: 0...20) func `bisection equals counting, for every size`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let numbers = (0..<size).map { _ in UInt32.random(in: 0..<10, using: &random) }.sorted()
    [UInt8](column: numbers).withUnsafeBytes {
      for bound in 0...10 {
        #expect(Column($0).lowerBound(of: bound, in: 0..<size) == numbers.count { $0 < bound })
      }
    }
  }

  @Test(arguments: 0...60)
  func `selection puts what sorting would put at every place, for every size and order`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let mixed = (0..<size).map { _ in Int.random(in: 0..<max(size, 1), using: &random) }
    for numbers in [mixed, mixed.sorted(), mixed.sorted(by: >), mixed.map { _ in 1 }] {
      for place in 0..<size {
        var found = numbers
        found.withUnsafeMutableBufferPointer { $0.select(place, by: <) }
        #expect(found[place] == numbers.sorted()[place] && found.sorted() == numbers.sorted())
        #expect(found[..<place].allSatisfy { $0 <= found[place] } && found[place...].allSatisfy { $0 >= found[place] })
      }
    }
  }
}

@Suite("tables of bytes in foreign memory")
struct ByteTableTests {
  private static let entries = ["", "a", "Tallinn", "", "õ"].map { Array($0.utf8) }

  @Test func `entries come back by their number, and nothing comes from outside`() throws {
    for count in 0...Self.entries.count {
      let entries = Self.entries.prefix(count)
      let bytes = try #require(ByteTable.encode(entries))
      try bytes.withUnsafeBytes {
        let table = try #require(ByteTable($0))
        #expect(table.count == count && (0..<count).map { Array(table[$0]) } == Array(entries))
        #expect([-1, count, .max, .min].allSatisfy { table[$0].isEmpty })
      }
    }
  }

  @Test func `text that is not UTF-8 is shown with U+FFFD`() throws {
    try #require(ByteTable.encode([[0x61, 0xFF]])).withUnsafeBytes {
      #expect(ByteTable($0)?.text(at: 0) == "a\u{FFFD}")
    }
  }

  @Test func `every cut is refused, and every flipped bit is refused or read without a trap`() throws {
    let bytes = try #require(ByteTable.encode(Self.entries))
    for length in 0..<bytes.count { Array(bytes[..<length]).withUnsafeBytes { #expect(ByteTable($0) == nil) } }
    for bit in 0..<8 * bytes.count {
      var spoilt = bytes
      spoilt[bit / 8] ^= 1 << UInt8(bit % 8)
      spoilt.withUnsafeBytes {
        guard let table = ByteTable($0) else { return }
        #expect((0..<table.count).reduce(0) { $0 + table[$1].count } <= bytes.count)
      }
    }
  }
}
