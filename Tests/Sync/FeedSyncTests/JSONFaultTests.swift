import FoundationEssentials
import Testing

@testable import FeedSync

/// Anything, so that only the grammar counts.
private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}

@Suite("JSON fault")
struct JSONFaultTests {
  private func isAccepted(_ bytes: [UInt8]) -> Bool {
    (try? JSONDecoder().decode(Anything.self, from: Data(bytes))) != nil
  }

  @Test(
    "the first byte that cannot stand there is named",
    arguments: [
      ("", 0, "the text ends without a value"), ("[1,]", 3, "unexpected \"]\""), ("{\"a\" 1}", 5, "unexpected \"1\""),
      ("{a:1}", 1, "unexpected \"a\""), ("[tru]", 4, "unexpected \"]\""), ("[tr", 3, "the text ends within a word"),
      ("[\"a", 3, "the text ends within a string"), ("[\"a\\\"", 5, "the text ends within a string"),
      ("[\"\n\"]", 2, "unexpected byte 10"), ("{\"a\":1", 6, "the text ends within an object"),
      ("{\"a\"", 4, "the text ends within an object"), ("{\"a\":1,}", 7, "unexpected \"}\""),
      ("[1}", 2, "unexpected \"}\""),
    ])
  func places(text: String, offset: Int, problem: String) {
    let fault = JSONFault(in: Array(text.utf8))
    #expect(fault?.offset == offset)
    #expect(fault?.problem == problem)
  }

  @Test("lines are counted from 1")
  func lines() {
    #expect(JSONFault(in: Array("[\n\n x]".utf8))?.description == "at byte 4 (line 3): unexpected \"x\"")
  }

  @Test("every cut and every changed byte of a text is judged as the decoder does")
  func agreement() {
    let text = Array(#" {"a":[true,false,null,-1.5e3,"x\"y\u00e9"],"b":{},"c":[[],{"d":""}]} "#.utf8)
    #expect(JSONFault(in: text) == nil && isAccepted(text))
    for count in 0..<(text.count - 1) {
      #expect((JSONFault(in: text[..<count]) == nil) == isAccepted(Array(text[..<count])), "cut at \(count)")
    }
    for offset in text.indices {
      for byte in "[]{}:,\" x1".utf8 {
        var changed = text
        changed[offset] = byte
        // What the scanner refuses the decoder must have refused; numbers and escapes are the decoder's alone.
        guard JSONFault(in: changed) != nil else { continue }
        #expect(!isAccepted(changed), "\(String(decoding: changed, as: UTF8.self))")
      }
    }
  }

  @Test(
    "values are counted by the marks before them, and marks in strings are none",
    arguments: [
      ("[]", 1), ("[1,2]", 2), (#"{"a,[{": "[,\",{\\", "b": [{}]}"#, 4), (#"["\\",","]"#, 2), ("5", 0), ("", 0),
    ])
  func values(text: String, count: Int) {
    #expect(throws: Never.self) { try Array(text.utf8).requireJSONValues(atMost: count) }
    guard count > 0 else { return }
    #expect(throws: FeedError.self) { try Array(text.utf8).requireJSONValues(atMost: count - 1) }
  }
}
