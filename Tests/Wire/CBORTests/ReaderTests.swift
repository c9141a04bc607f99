import CBOR
import TestSupport
import Testing

/// The result of `body` on a reader at the start of `bytes`, or its failure.
private func reading<Value>(
  _ encoding: String, _ body: (inout CBORReader) throws(CBORError) -> Value
) -> Result<Value, CBORError> {
  hex(encoding).withUnsafeBytes { bytes in
    var reader = CBORReader(bytes)
    do throws(CBORError) { return .success(try body(&reader)) } catch { return .failure(error) }
  }
}

@Suite struct ReaderTests {
  @Test func `request is read in one pass without copies`() throws {
    let request =
      "a3 626964 07 666d6574686f64 6b636974792e736561726368 66706172616d73 a2 656c696d6974 14 66707265666978 63616c62"
    let found = reading(request) { (reader: inout CBORReader) throws(CBORError) -> [String] in
      var found: [String] = []
      var map = try reader.readMap()
      while let key = try reader.nextKey(of: &map) {
        if CBORReader.text(key, is: "id") {
          found.append("id \(try reader.readUnsigned())")
        } else if CBORReader.text(key, is: "method") {
          found.append(String(decoding: try reader.readText(), as: UTF8.self))
        } else {
          found.append("\(String(decoding: key, as: UTF8.self)) \(try reader.readItem().count)")
        }
      }
      try reader.finish()
      return found
    }
    #expect(try found.get() == ["id 7", "city.search", "params 19"])
  }

  @Test(arguments: [("f6", "null"), ("f5", "true"), ("f4", "false"), ("f90000", "float"), ("01", "unsigned integer")])
  func `another item in the place of text is named`(encoding: String, name: String) {
    let found = reading(encoding) { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readText() }
    guard case .failure(let error) = found else { return #expect(Bool(false), "an item that is not text was read") }
    #expect(error.problem == "expected text, found \(name)")
  }

  @Test(arguments: [
    "1817", "190018", "1a0000ffff", "1b00000000ffffffff", "7800", "5801aa", "9800", "b800", "d80200", "7f60ff", "9fff",
    "bfff", "5fff",
  ])
  func `longer head or indefinite length is not deterministic`(encoding: String) {
    let result = reading(encoding) { (reader: inout CBORReader) throws(CBORError) in try reader.skip() }
    #expect(throws: CBORError(.notDeterministic, offset: 0)) { try result.get() }
  }

  @Test(arguments: [
    "1c", "1d", "1e", "3c", "5d", "7e", "9c", "bd", "dc", "fc", "1f", "3f", "df", "f800", "f814", "f81f",
  ])
  func `reserved first byte is malformed`(encoding: String) {
    let result = reading(encoding) { (reader: inout CBORReader) throws(CBORError) in try reader.skip() }
    let error = #expect(throws: CBORError.self) { try result.get() }
    guard case .malformed = error?.kind else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test(
    arguments: [
      "61ff", "61c3", "62c328", "63e2828e".dropLast(2) + "28", "62c0af", "63e080af", "63eda080", "64f4908080",
      "64f0808080", "61b0", "64f09085", "63e2",
    ].map { String($0) })
  func `text that is not UTF-8 is refused`(encoding: String) {
    let strict = reading(encoding) { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readText() }
    #expect(throws: CBORError.self) { try strict.get() }
    #expect(throws: CBORError.self) { try CBORDecoder().decode(String.self, from: hex(encoding)) }
  }

  @Test func `every pair and many triples of bytes are text as the standard library says`() {
    func agrees(_ bytes: [UInt8]) -> Bool {
      let expected = String(validating: bytes, as: UTF8.self) != nil
      return ((try? strictlySkipped(referenceHead(3, UInt64(bytes.count)) + bytes)) != nil) == expected
    }
    for first in UInt8(0x7f)...0xff {
      for second in stride(from: UInt8(0x3f), through: 0xfe, by: 1) {
        if !agrees([first, second]) { #expect(Bool(false), "\(hex([first, second]))") }
        for rest in [[0x80], [0x80, 0xbf], [0x80, 0x41]] as [[UInt8]]
        where second.isMultiple(of: 3) || second & 0xf == 0 {
          let bytes = [first, second] + rest
          if !agrees(Array("12345678".utf8) + bytes) { #expect(Bool(false), "\(hex(bytes))") }
        }
      }
    }
  }

  @Test(arguments: [
    ("60", CBORMajorType.text), ("00", .unsigned), ("20", .negative), ("40", .bytes), ("80", .array), ("a0", .map),
    ("c0", .tag), ("f6", .simple),
  ])
  func `peek gives the kind and stays`(encoding: String, type: CBORMajorType) throws {
    let peeked = reading(encoding) { (reader: inout CBORReader) throws(CBORError) in (try reader.peek(), reader.offset)
    }
    #expect(try peeked.get() == (type, 0))
  }

  @Test func `wrong kind is named and the end is truncated`() {
    typealias Read = (inout CBORReader) throws(CBORError) -> Void
    let reads: [(String, Read)] = [
      ("text", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readText() }),
      ("byte string", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readBytes() }),
      ("unsigned integer", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readUnsigned() }),
      ("float", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readDouble() }),
      ("bool", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readBool() }),
      ("array", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readArray() }),
      ("map", { (reader: inout CBORReader) throws(CBORError) in _ = try reader.readMap() }),
    ]
    for (expected, read) in reads {
      #expect(throws: CBORError(.mismatch(expected: expected, found: "tag"), offset: 0)) {
        try reading("c100", read).get()
      }
      #expect(throws: CBORError(.truncated, offset: 0)) { try reading("", read).get() }
    }
  }

  @Test func `booleans nulls bytes tags and arrays are read`() throws {
    let found = reading("86 f5 f4 f6 4201ff c1 07 f6") { (reader: inout CBORReader) throws(CBORError) -> String in
      let count = try reader.readArray()
      let flags = (try reader.readBool(), try reader.readBool())
      let nulls = (reader.readNullIfPresent(), reader.readNullIfPresent())
      let (bytes, tag, content) = (try reader.readBytes(), try reader.readTag(), try reader.readUnsigned())
      _ = (reader.readNullIfPresent(), reader.readNullIfPresent())
      try reader.finish()
      return "\(count) \(flags) \(nulls) \(Array(bytes)) \(tag) \(content) \(reader.isAtEnd)"
    }
    #expect(try found.get() == "6 (true, false) (true, false) [1, 255] 1 7 true")
  }

  @Test func `keys that are no text are skipped in order`() throws {
    let found = reading("a4 01 02 20 8101 6161 05 80 f6") { (reader: inout CBORReader) throws(CBORError) -> [UInt64] in
      var (map, found) = (try reader.readMap(), [UInt64]())
      while try reader.nextKey(of: &map) != nil { found.append(try reader.readUnsigned()) }
      try reader.finish()
      return found + [UInt64(map.count)]
    }
    #expect(try found.get() == [5, 4])
  }

  @Test func `bytes after the item are refused`() {
    let result = reading("0000") { (reader: inout CBORReader) throws(CBORError) in
      try reader.skip()
      try reader.finish()
    }
    #expect(throws: CBORError(.trailingBytes, offset: 1)) { try result.get() }
    #expect(throws: CBORError(.trailingBytes, offset: 1)) { try canonicalized(hex("0000")) }
  }
}
