import CBOR
import CBORTools
import TestSupport
import Testing

@testable import FeedSync

@Suite("JSON records")
struct JSONRecordsTests {
  private func read(_ text: String) throws -> [JSONRecords.Element] { try read(Array(text.utf8)) }

  private func read(_ bytes: [UInt8]) throws -> [JSONRecords.Element] {
    var elements: [JSONRecords.Element] = []
    try JSONRecords.read(bytes) { position, element in
      elements.append(element)
      #expect(position == elements.count)
    }
    return elements
  }

  @Test(
    "numbers are given as they are written",
    arguments: [
      "0", "-0", "10.00", "0.1", "1.0000000000000002", "1e2", "-1.50E-3", "12345678901234567890.12345678901234",
    ])
  func numbers(text: String) throws {
    #expect(try read("[{\"a\":\(text)}]") == [.record(["a": .number(text)])])
    #expect(
      try read("[ { \"a\" : \(text) , \"b\" : \(text) } ]") == [.record(["a": .number(text), "b": .number(text)])])
  }

  @Test("text is given without its escapes, other values by their nouns")
  func values() throws {
    let text = #"[{"a":"\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00","b":[1,{"c":[]}],"d":{},"e":true,"f":null}]"#
    let expected: [String: JSONField] = [
      "a": .text("\"\\/\u{8}\u{c}\n\r\tééé😀".replacing("ééé", with: "éé")), "b": .other("an array"),
      "d": .other("an object"), "e": .other("a truth value"), "f": .other("null"),
    ]
    #expect(try read(text) == [.record(expected)])
  }

  @Test("elements that are no records are told as what they are")
  func others() throws {
    #expect(
      try read(#"[1,"a",null,true,[{}],{},{"a":1,"b":2,"a":3}]"#) == [
        .other("a number"), .other("text"), .other("null"), .other("a truth value"), .other("an array"), .record([:]),
        .ambiguous("a"),
      ])
    #expect(try read("[]").isEmpty && read(" [ ] ").isEmpty)
  }

  @Test("a byte-order mark is passed over, once")
  func byteOrderMark() throws {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    #expect(try read(mark + Array("[{}]".utf8)) == [.record([:])])
    #expect(throws: JSONFault.self) { try read(mark + mark + Array("[{}]".utf8)) }
  }

  @Test(
    "the place where a text stops being JSON is told",
    arguments: [
      ("", 0, "the text ends too early"), ("{}", 0, "expected an array, found an object"),
      ("\"[]\"", 0, "expected an array, found text"), ("<html>", 0, "expected an array, found no JSON"),
      ("[{}", 3, "the text ends too early"), ("[{}]x", 4, "unexpected \"x\""), ("[{},]", 4, "unexpected \"]\""),
      ("[{\"a\":01}]", 6, "a number begins with a zero"), ("[{\"a\":1.}]", 8, "unexpected \"}\""),
      ("[{\"a\":-}]", 7, "unexpected \"}\""), ("[{\"a\":0.0.1}]", 9, "unexpected \".\""),
      ("[{\"a\":\"\\x\"}]", 7, "there is no such escape"), ("[{\"a\":\"\\ud800\"}]", 7, "half of a surrogate pair"),
      ("[{\"a\":NaN}]", 6, "unexpected \"N\""), ("[tru]", 4, "unexpected \"]\""),
      ("[1e", 3, "the text ends within a number"),
    ])
  func faults(text: String, offset: Int, problem: String) {
    let fault = #expect(throws: JSONFault.self) { try read(text) }
    #expect(fault?.offset == offset && fault?.problem == problem, "\(fault?.description ?? "-")")
  }

  @Test("a text that is not UTF-8 is a field with its place, a key that is not is no JSON")
  func notUTF8() throws {
    let found = try read(Array("[\n{\"a\":\"x".utf8) + [0xff] + Array("\"}]".utf8))
    #expect(found == [.record(["a": .other("text that is not UTF-8 at byte 9 (line 2)")])])
    let fault = #expect(throws: JSONFault.self) { try read(Array("[\n{\"a".utf8) + [0xff] + Array("\":1}]".utf8)) }
    #expect(fault?.description == "at byte 5 (line 2): the string is not UTF-8")
  }

  @Test("depth is bounded")
  func depth() {
    let deep = { (count: Int) in "[" + String(repeating: "[", count: count) + String(repeating: "]", count: count) + "]"
    }
    #expect(throws: Never.self) { try read(deep(JSONFault.maximumDepth - 2)) }
    #expect(throws: JSONFault.self) { try read(deep(1_000_000)) }
  }

  @Test("every cut and every changed byte of a list is judged as the command line's strict parser does")
  func agreement() {
    let text = Array(#" [{"a":[true,false,null,-1.5e3,"x\"y\u00e9"],"b":{}},[],{"d":""},10.00] "#.utf8)
    let isAccepted = { (bytes: [UInt8]) in
      guard let json = String(validating: bytes, as: UTF8.self) else { return false }
      guard case .array? = try? CBORValue(json: json) else { return false }
      return true
    }
    for count in 0...text.count {
      let cut = Array(text[..<count])
      #expect(((try? read(cut)) != nil) == isAccepted(cut), "cut at \(count)")
    }
    for offset in text.indices {
      for byte in "[]{}:,\" x10.e-\\".utf8 {
        var changed = text
        changed[offset] = byte
        #expect(((try? read(changed)) != nil) == isAccepted(changed), "\(String(decoding: changed, as: UTF8.self))")
      }
    }
  }
}
