import Base
import TestSupport
import Testing

@Suite("the JSON scanner")
struct JSONScannerTests {
  /// Every number, string and literal of `text`, in order, as the tree has them.
  private func leaves(_ text: String) throws(JSONFault) -> [String] {
    try JSONScanner.scan(Array(text.utf8)) { (scanner) throws(JSONFault) in leaves(of: try scanner.readValue()) }
  }

  private func leaves(of value: JSONValue) -> [String] {
    switch value {
    case .object(let members): members.flatMap { ["\($0.key):"] + leaves(of: $0.value) }
    case .array(let elements): elements.flatMap { leaves(of: $0) }
    case .string(let text): [text]
    case .invalidText(let offset): ["not UTF-8 at \(offset)"]
    case .number(let number): [number.text]
    case .bool(let flag): ["\(flag)"]
    case .null: ["null"]
    }
  }

  private func skip(_ bytes: [UInt8], maximumDepth: Int = JSONScanner.defaultMaximumDepth) -> JSONFault? {
    do throws(JSONFault) {
      try JSONScanner.scan(bytes, maximumDepth: maximumDepth) { (scanner) throws(JSONFault) in
        try scanner.skipValue()
      }
      return nil
    } catch {
      return error
    }
  }

  @Test(
    arguments: [
      ("[]", []), ("{}", []), (" [ ] ", []), ("null", ["null"]), ("[true,false]", ["true", "false"]),
      ("-0.50e+3", ["-0.50e+3"]), ("10.00", ["10.00"]), ("0", ["0"]),
      (
        #"{"a":{"b":[1,{"c":2}]},"a":3}"#,
        ["a:", "b:", "1", "c:", "2", "a:", "3"]
      ), (#""\"\\\/\b\f\n\r\t""#, ["\"\\/\u{8}\u{c}\n\r\t"]),
      (#""\u00e9\ud83c\udfd9\uFFFF""#, ["é🏙\u{ffff}"]), ("\u{feff}[1]", ["1"]), ("\t\r\n [\"é\"]", ["é"]),
    ] as [(String, [String])])
  func `values are read as they are written`(text: String, expected: [String]) throws {
    #expect(try leaves(text) == expected)
  }

  @Test(
    arguments: [
      ("", 0, 1, "expected a value, found the end of the text"), ("[1 2]", 3, 1, #"expected "," or "]", found "2""#),
      ("[1,\n2,]", 6, 2, #"expected a value, found "]""#), ("01", 0, 1, "a number must not start with a zero"),
      ("-", 1, 1, "expected a number, found the end of the text"),
      (
        "1.", 2, 1,
        "expected a digit, found the end of the text"
      ), ("nul", 0, 1, #"expected a value, found "n""#),
      ("[\u{1}]", 1, 1, "expected a value, found byte 1"), (#"{"a" 1}"#, 5, 1, #"expected ":", found "1""#),
      (#"{a:1}"#, 1, 1, #"expected a key in double quotes, found "a""#),
      ("\"a\n\"", 2, 1, "a control character in a string must be escaped, found byte 10"),
      (#""\x""#, 1, 1, "no such escape in JSON"), (#""\udc00""#, 1, 1, "half of a surrogate pair"),
      (#"["\ud83c\n"]"#, 2, 1, "half of a surrogate pair"),
      (
        #""\u12""#, 5, 1,
        "expected a hexadecimal digit, found \"\"\""
      ), ("[1]x", 3, 1, #"expected nothing more, found "x""#),
    ] as [(String, Int, Int, String)])
  func `a fault names its byte, its line and what was expected`(text: String, offset: Int, line: Int, problem: String) {
    let expected = JSONFault(problem, offset: offset, line: line)
    #expect(throws: expected) { try leaves(text) }
    #expect(skip(Array(text.utf8)) == expected, "skipping checks what reading checks")
  }

  @Test func `bytes that are not UTF-8 are refused at their position`() {
    for (bad, at) in [([0xff], 0), ([0x61, 0xc3], 1), ([0xed, 0xa0, 0x80], 0), ([0x61, 0x62, 0xc0, 0x80], 2)] {
      let bytes = Array("[\n\"".utf8) + bad.map { UInt8($0) } + Array("\"]".utf8)
      #expect(skip(bytes) == JSONFault("the string is not UTF-8", offset: 3 + at, line: 2))
    }
  }

  @Test func `a reader may keep strings that are not UTF-8, with their place; keys are refused all the same`() throws {
    let bytes = Array(#"["a","x"#.utf8) + [0xff] + Array(#"y",{"k":1}]"#.utf8)
    let found = try JSONScanner.scan(bytes, keepsInvalidText: true) { (scanner) throws(JSONFault) in
      leaves(of: try scanner.readValue())
    }
    #expect(found == ["a", "not UTF-8 at 7", "k:", "1"])
    let halves = [
      #""\ud83c""#, #""\ud83c\n""#, #""\ud83c\u0041""#, #""\udf00\ud83c""#, #""\ud83c\ud83c\udfd9""#,
    ]
    for text in halves {
      let kept = try JSONScanner.scan(Array(text.utf8), keepsInvalidText: true) { (scanner) throws(JSONFault) in
        let string = try scanner.readString()
        return (string.invalidOffset, string.text)
      }
      #expect(kept.0 == 1 && kept.1.contains("\u{fffd}"), "\(text)")
    }
    let key = Array("{\"".utf8) + [0xff] + Array("\":1}".utf8)
    #expect(throws: JSONFault("the string is not UTF-8", offset: 2, line: 1)) {
      try JSONScanner.scan(key, keepsInvalidText: true) { (scanner) throws(JSONFault) in try scanner.skipValue() }
    }
  }

  @Test(
    arguments: [
      ("7", 7), ("-7", -7), ("7.0", 7), ("1e3", 1_000), ("70e-1", 7), ("7.5", nil), ("1e99", nil),
      ("9223372036854775808", nil),
    ] as [(String, Int?)])
  func `whole numbers are read however they are written`(text: String, expected: Int?) throws {
    let number = try JSONScanner.scan(Array(text.utf8)) { (scanner) throws(JSONFault) in try scanner.readNumber() }
    #expect(number.wholeValue(Int.self) == expected)
  }

  @Test func `nesting is bounded, and skipping needs no stack of its own for it`() {
    let nested = { (count: Int) in [UInt8](repeating: 0x5b, count: count) + [UInt8](repeating: 0x5d, count: count) }
    #expect(skip(nested(512)) == nil)
    #expect(skip(nested(513))?.offset == 512)
    #expect(skip(nested(1_000_000), maximumDepth: 1_000_000) == nil)
    #expect(skip(nested(3), maximumDepth: 2)?.problem == "more than 2 nested arrays and objects")
  }

  @Test func `reading and skipping agree on every cut and every changed byte`() {
    let text = Array(#" [{"a":[true,false,null,-1.5e3,"x\"y\u00e9\ud83c\udfd9"],"b":{}},[],{"d":""},10.00] "#.utf8)
    let reads = { (bytes: [UInt8]) -> JSONFault? in
      do throws(JSONFault) {
        _ = try JSONScanner.scan(bytes) { (scanner) throws(JSONFault) in try scanner.readValue() }
        return nil
      } catch {
        return error
      }
    }
    for count in 0...text.count { #expect(reads(Array(text[..<count])) == skip(Array(text[..<count])), "cut \(count)") }
    for offset in text.indices {
      for byte in "[]{}:,\" x10.e-\\\u{1}".utf8 + [0x80, 0xff] {
        var changed = text
        changed[offset] = byte
        #expect(reads(changed) == skip(changed), "\(String(decoding: changed, as: UTF8.self))")
      }
    }
  }

  @Test func `keys are compared without their escapes, and numbers keep their kind`() throws {
    let seen = try JSONScanner.scan(Array(#"{"\u0061b":1,"ab":1.0,"abc":18446744073709551616}"#.utf8)) {
      (scanner) throws(JSONFault) in
      var seen: [String] = []
      try scanner.readObject { (scanner, key) throws(JSONFault) in
        let number = try scanner.readNumber()
        seen.append("\(key == "ab") \(number.integer(UInt64.self).map(String.init) ?? "-") \(number.double ?? -1)")
      }
      return seen
    }
    #expect(seen == ["true 1 1.0", "true - 1.0", "false - 1.8446744073709552e+19"])
  }
}
