import Base
import FoundationEssentials
import Testing

@testable import FeedSync

/// Accepts any value, so that only the grammar counts.
private struct AnyValue: Decodable {
  init(from decoder: any Decoder) {}
}

@Suite("JSON of sources")
struct SourceJSONTests {
  private func fault(_ bytes: [UInt8]) -> JSONFault? {
    do throws(JSONFault) {
      try SourceJSON.scan(bytes) { (scanner) throws(JSONFault) in try scanner.skipValue() }
      return nil
    } catch {
      return error
    }
  }

  /// The fields of each record of a list.
  private func fields(_ bytes: [UInt8]) throws(FeedError) -> [[String: JSONField]] {
    var records: [[String: JSONField]] = []
    try SourceJSON.readRecords(bytes) { (scanner, position) throws(JSONFault) in
      var record: [String: JSONField] = [:]
      try scanner.readObject { (scanner, key) throws(JSONFault) in
        try scanner.readField(into: &record[key.text, default: .missing])
      }
      records.append(record)
      #expect(position == records.count)
    }
    return records
  }

  @Test(
    arguments: [
      ("", 0, "the text ends without a value"), ("[1,]", 3, "unexpected \"]\""), ("{\"a\" 1}", 5, "unexpected \"1\""),
      ("{a:1}", 1, "unexpected \"a\""), ("[tru]", 4, "unexpected \"]\""), ("[tr", 3, "the text ends within a word"),
      ("[\"a", 3, "the text ends within a string"), ("[\"a\\\"", 5, "the text ends within a string"),
      ("[\"a\\", 4, "the text ends within a string"), ("[\"\\u00", 6, "the text ends within a string"),
      ("[\"\n\"]", 2, "unexpected byte 10"), ("{\"a\":1", 6, "the text ends within an object"),
      ("{\"a\"", 4, "the text ends within an object"), ("{\"a\":1,}", 7, "unexpected \"}\""),
      ("[1}", 2, "unexpected \"}\""), ("[1,{\"a\":[]}", 11, "the text ends within an array"),
      ("[{},[", 5, "the text ends within an array"), ("[[],{", 5, "the text ends within an object"),
      ("[{\"a\":-01}]", 7, "a number starts with a zero"), ("[{\"a\":1.}]", 8, "unexpected \"}\""),
      ("[0.0.1]", 4, "unexpected \".\""), ("[\"\\x\"]", 2, "there is no such escape"),
      ("{\"\\ud800\":1}", 2, "the string is not UTF-8"), ("[NaN]", 1, "unexpected \"N\""),
      ("[1e", 3, "the text ends within a number"), ("[]x", 2, "unexpected \"x\""),
    ])
  func `the first byte that is invalid there is named`(text: String, offset: Int, problem: String) {
    let fault = fault(Array(text.utf8))
    #expect(fault?.place == "at byte \(offset) (line \(text.contains("\n") && offset > 2 ? 2 : 1))")
    #expect(fault?.clause == problem)
  }

  @Test func `lines are counted from 1, and the text of an error holds place and problem`() throws {
    let error = #expect(throws: FeedError.self) { try fields(Array("[\n\n x]".utf8)) }
    #expect(error?.description == "the JSON is broken at byte 4 (line 3): unexpected \"x\"")
    var lines = LineCounter(Array("a\nb\n\nc".utf8))
    #expect(lines.place(at: 0) == "at byte 0 (line 1)" && lines.place(at: 4) == "at byte 4 (line 3)")
    #expect(lines.place(at: 5) == "at byte 5 (line 4)" && lines.place(at: 2) == "at byte 2 (line 2)")
  }

  @Test func `depth is bounded`() {
    let nested = { (count: Int) in [UInt8](repeating: 0x5b, count: count) + [UInt8](repeating: 0x5d, count: count) }
    #expect(fault(nested(512)) == nil)
    #expect(fault(nested(1_000_000))?.clause == "more than 512 arrays and objects inside each other")
  }

  @Test func `fields are given as they are written, and the first of equal ones counts`() throws {
    let texts = #""a":"\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00","b":[1,{"c":[]}],"d":{}"#
    let first = "{\(texts),\"e\":true,\"f\":null,\"g\":10.00,\"a\":1}"
    let text = "[\(first),{}]"
    var found = try fields(Array(text.utf8))
    guard case .number(let number)? = found[0].removeValue(forKey: "g") else { throw FeedError(.badData, "no number") }
    #expect(number.text == "10.00" && !number.isInteger)
    #expect(
      found == [
        [
          "a": .text("\"\\/\u{8}\u{c}\n\r\téé😀"), "b": .other(.array), "d": .other(.object), "e": .other(.bool),
          "f": .null,
        ], [:],
      ])
  }

  @Test func `a byte-order mark is passed over, once`() throws {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    #expect(try fields(mark + Array("[{}]".utf8)) == [[:]])
    #expect(throws: FeedError.self) { try fields(mark + mark + Array("[{}]".utf8)) }
  }

  @Test func `a text that is not UTF-8 is a field with its place, a key that is not refuses the list`() throws {
    let found = try fields(Array("[\n{\"a\":\"x".utf8) + [0xff] + Array("\"},{\"a\":1}]".utf8))
    #expect(found.count == 2 && found[0] == ["a": .invalidText(offset: 9)])
    let halves = try fields(Array(#"[{"a":"\ud83c"},{"a":"x"}]"#.utf8))
    #expect(halves == [["a": .invalidText(offset: 7)], ["a": .text("x")]])
    let error = #expect(throws: FeedError.self) {
      try fields(Array("[\n{\"a".utf8) + [0xff] + Array("\":1}]".utf8))
    }
    #expect(error?.description == "the JSON is broken at byte 5 (line 2): the string is not UTF-8")
  }

  @Test func `everything that is accepted is JSON to another decoder, too, and so is every cut`() {
    func isAccepted(_ bytes: [UInt8]) -> Bool {
      (try? JSONDecoder().decode(AnyValue.self, from: Data(bytes))) != nil
    }
    let text = Array(#" {"a":[true,false,null,-1.5e3,"x\"y\u00e9"],"b":{},"c":[[],{"d":""}]} "#.utf8)
    #expect(fault(text) == nil && isAccepted(text))
    for count in 0..<(text.count - 1) {
      #expect((fault(Array(text[..<count])) == nil) == isAccepted(Array(text[..<count])), "cut at \(count)")
    }
    for offset in text.indices {
      for byte in "[]{}:,\" x10.e-\\".utf8 {
        var changed = text
        changed[offset] = byte
        // The decoder leaves numbers and escapes that nobody asks for unread: it accepts more.
        if fault(changed) == nil { #expect(isAccepted(changed), "\(String(decoding: changed, as: UTF8.self))") }
      }
    }
  }

  @Test(
    arguments: [
      ("[]", 1), ("[1,2]", 2), (#"{"a,[{": "[,\",{\\", "b": [{}]}"#, 4), (#"["\\",","]"#, 2), ("5", 0), ("", 0),
    ])
  func `values are counted by the marks before them, and marks in strings are none`(text: String, count: Int) {
    #expect(throws: Never.self) { try Array(text.utf8).requireJSONValues(atMost: count) }
    guard count > 0 else { return }
    #expect(throws: FeedError.self) { try Array(text.utf8).requireJSONValues(atMost: count - 1) }
  }
}
