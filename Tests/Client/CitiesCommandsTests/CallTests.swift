import Base
import CBOR
import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct CallTests {
  @Test func `reply is printed and frames are traced`() throws {
    let words = ["call", "city.search", #"{"prefix": "a", "limit": 1}"#, "--trace"]
    let result = try outcome(words) { request in
      let isRight = request.params(CitySearch.self) == nil ? false : true
      return [isRight ? request.reply(CitySearch.self, page([city(1, "A")])) : request.failure(.internal)]
    }
    #expect(
      result.status == .found && result.output.contains("\"name\":\"A\"") && result.output.contains("\"total\":1"))
    #expect(
      result.errors.hasPrefix(
        """
        > frame of 52 bytes
        > 00000030                                      # 48 bytes
        > a3                                            # map of 3
        >   62 6964                                     # "id"
        >   01                                          # 1
        >   66 6d6574686f64                             # "method"
        >   6b 636974792e736561726368                   # "city.search"
        >   66 706172616d73                             # "params"
        >   a2                                          # map of 2
        >     65 6c696d6974                             # "limit"
        >     01                                        # 1
        >     66 707265666978                           # "prefix"
        >     61 61                                     # "a"
        > {"id": 1, "method": "city.search", "params": {"limit": 1, "prefix": "a"}}
        < frame of 103 bytes
        """))
    #expect(result.errors.contains("\n< a2                                            # map of 2\n<   62 6964  "))
    #expect(result.errors.hasSuffix("}}\n") && result.errors.contains("\n< {\"id\": 1, \"result\": {"))
  }

  @Test func `data that is being fetched is waited for`() throws {
    for words in [["call", "rate.list"], ["call", "--lines"]] {
      let left = Mutex(2)
      let input = words.contains("--lines") ? #"{"method": "rate.list"}"# : ""
      let result = try outcome(words, input: input) { request in
        if request.method == Watch.method {
          return [request.reply(Watch.self, Watch.Reply(ready: ["trade": true], generations: [:]))]
        }
        let isEarly = left.withLock { left in
          left -= 1
          return left > 0
        }
        guard !isEarly else { return [request.failure(.unavailable, data: ErrorData(subject: .trade, running: true))] }
        let sources = Provenance(feeds: [])
        let reply = RateList.Reply(rows: [], unreachable: [], sources: sources, generation: "00000000000000aa")
        return [request.reply(RateList.self, reply)]
      }
      #expect(result.status == .found && result.output.contains("\"rows\":[]"), "\(result)")
    }
    let result = try outcome(["call", "rate.list", "--wait", "0"]) {
      [$0.failure(.unavailable, data: ErrorData(subject: .trade, running: true))]
    }
    #expect(result.status == .notReady)
  }

  @Test func `frame that is no item is traced in plain digits`() throws {
    let payload = [UInt8](repeating: 0xFF, count: 33)
    let result = try outcome(["call", "status", "--trace"]) { _ in [.send(Frame.framed(payload))] }
    let digits = String(repeating: "ff", count: 32)
    #expect(
      result.errors.contains(
        "< 00000021                                      # 33 bytes\n< \(digits)\n< ff\n< not a CBOR item: "))
    #expect(result.status != .found)
  }

  @Test func `trace cannot write to the terminal`() throws {
    let result = try outcome(["call", "status", "--trace"]) { [$0.failure(.notFound, "\u{1B}]0;x\u{7}\u{9C}\u{202E}")] }
    #expect(result.errors.contains(#"\u001b]0;x\u0007\u009c\u202e"#))
    #expect(!result.errors.unicodeScalars.contains { $0 != "\n" && $0.actsOnTerminal })
  }

  @Test(arguments: [
    ("{", "the parameters are not valid JSON: expected a key in double quotes, found the end of the text (byte 1)"),
    (#"{"a":1,}"#, #"the parameters are not valid JSON: expected a key in double quotes, found "}" (byte 7)"#),
    ("[1]", #"the parameters must be a JSON object, such as {"prefix": "a"}"#),
  ])
  func `parameters that are no JSON object are bad data`(json: String, message: String) throws {
    let result = try outcome(["call", "status", json]) { [$0.reply(Status.self, wellStatus)] }
    #expect(result == Outcome(status: .badData, output: "", errors: "citiesctl: \(message)\n"))
  }

  @Test func `parameters nest as deep as a server takes them with the request around them`() throws {
    func nested(_ depth: Int) -> String {
      let arrays = depth - 1
      return #"{"a":"# + String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays) + "}"
    }
    #expect(throws: Never.self) { try CallVerb.params(nested(Frame.maximumDepth - 1)) }
    for depth in [Frame.maximumDepth, 100_000] {
      let failure = #expect(throws: CommandFailure.self) { try CallVerb.params(nested(depth)) }
      #expect(failure?.status == .badData && failure?.message.contains("15 nested arrays and objects") == true)
    }
  }

  @Test func `each line is a request with its reply`() throws {
    let lines = [
      #"{"method": "city.search", "params": {"prefix": "a"}}"#, "", "[]", #"{"method": "nope", "params": {}}"#,
      #"{"method": "status", "params": 1}"#, #"{"method": "status"}"#,
    ]
    let result = try outcome(["call", "--lines"], input: lines.joined(separator: "\n")) { request in
      if request.params(CitySearch.self) != nil { return [request.reply(CitySearch.self, page([city(1, "A")]))] }
      if request.params(Status.self) != nil { return [request.reply(Status.self, wellStatus)] }
      return [request.failure(.unknownMethod, "no such method")]
    }
    let replies = result.output.split(separator: "\n")
    let object = #"a line must be a JSON object, such as {\"method\": \"status\", \"params\": {}}"#
    #expect(result.status == .partial && result.errors == "" && replies.count == 6)
    #expect(replies[0].hasPrefix(#"{"seq":1,"result":{"#) && replies[5].hasPrefix(#"{"seq":6,"result":{"#))
    for sequence in [2, 3, 5] {
      #expect(replies[sequence - 1] == #"{"seq":\#(sequence),"error":{"code":"bad-data","message":"\#(object)"}}"#)
    }
    #expect(replies[3] == #"{"seq":4,"error":{"code":"unknown-method","message":"no such method"}}"#)
    let wrong = try outcome(["call", "--lines"], input: "x") { [$0.failure(.internal)] }
    #expect(wrong.status == .badData)
    #expect(try outcome(["call", "--lines", "status"]).status == .usage)
  }

  @Test func `byte strings and decimals have one form`() throws {
    let reply = try CBORValue.map([
      (.text("id"), .unsigned(1)),
      (
        .text("result"),
        .array([.bytes([0, 255]), .tagged(4, .array([.negative(1), .unsigned(1499)])), .tagged(0, .text("2026"))])
      ),
    ]).encoded()
    let result = try outcome(["call", "status"]) { _ in [.send(Frame.framed(reply))] }
    #expect(result == Outcome(status: .found, output: #"["AP8","14.99","2026"]"# + "\n", errors: ""))
  }
}
