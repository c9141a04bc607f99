import CBOR
import CBORTools
import TestSupport
import Testing

@Suite struct DecoderTests {
  struct Row: Codable, Equatable {
    var id: UInt8
    var name: String?
    var shape: Shape?
    var next: [Row]?
    enum Shape: String, Codable { case round, square }
  }

  private func decode(_ json: String) throws -> Row {
    try CBORDecoder().decode(Row.self, from: CBORValue(json: json).encoded())
  }

  @Test(arguments: [
    (#"{}"#, #"the key "id" is missing (byte 0)"#), (#"[]"#, "expected map, found array (byte 0)"),
    (#"{"id": "1"}"#, "id: expected integer, found text (byte 4)"),
    (#"{"id": 1.5}"#, "id: expected integer, found float (byte 4)"),
    (#"{"id": 256}"#, "id: expected integer from 0 to 255, found integer 256 (byte 4)"),
    (#"{"id": -1}"#, "id: expected integer from 0 to 255, found integer -1 (byte 4)"),
    (#"{"id": null}"#, "id: expected integer, found null (byte 4)"),
    (#"{"id": 1, "name": 2}"#, "name: expected text, found integer 2 (byte 10)"),
    (#"{"id": 1, "name": true}"#, "name: expected text, found true (byte 10)"),
    (#"{"id": 1, "next": {}}"#, "next: expected array, found map (byte 10)"),
    (
      #"{"id": 1, "next": [{"id": 2}, {"id": 3, "next": [{}]}]}"#,
      #"next[1].next[0]: the key "id" is missing (byte 27)"#
    ),
    (#"{"id": 1, "next": [{"id": 2}, 5]}"#, "next[1]: expected map, found integer 5 (byte 16)"),
  ])
  func `wrong shape is named with path and offset`(json: String, description: String) throws {
    let error = #expect(throws: CBORError.self) { try decode(json) }
    #expect(error?.description == description)
  }

  @Test func `value refused by its type is named with path and offset`() throws {
    let error = #expect(throws: CBORError.self) { try decode(#"{"id": 1, "shape": "oval"}"#) }
    #expect(error?.path == "shape")
    #expect(error?.offset == 11)
    guard case .refused(let reason) = error?.kind else { return #expect(Bool(false)) }
    #expect(reason.contains("oval"))
  }

  @Test func `unknown keys nulls and any order are accepted`() throws {
    let expected = Row(id: 1, name: nil, shape: .round, next: [])
    #expect(
      try decode(#"{"zzz": [{"id": {}}], "shape": "round", "next": [], "id": 1, "name": null, "": 0}"#) == expected)
    let mixed = hex("bf 7f 62 7368 63 617065 ff 65 726f756e64 62 6964 1b0000000000000001 05 06 64 6e657874 9fff ff")
    #expect(try CBORDecoder().decode(Row.self, from: mixed) == expected)
  }

  @Test func `empty input is truncated`() {
    let error = #expect(throws: CBORError.self) { try CBORDecoder().decode(Row.self, from: []) }
    #expect(error == CBORError(.truncated, offset: 0))
  }

  @Test func `containers offer what codable asks for`() throws {
    struct Probe: Decodable {
      enum Key: String, CodingKey { case list, map, `super`, missing }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        #expect(Set(container.allKeys) == [.list, .map, .super])
        #expect(container.contains(.list) && !container.contains(.missing))
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        #expect(list.count == 5)
        #expect(try list.decodeNil() && !list.decodeNil())
        #expect(try list.nestedUnkeyedContainer().isAtEnd)
        #expect(try list.nestedContainer(keyedBy: Key.self).allKeys.isEmpty)
        #expect(try list.superDecoder().singleValueContainer().decode(Int.self) == 4)
        #expect(list.currentIndex == 4)
        #expect(try list.decode(Double.self) == 5)
        #expect(list.isAtEnd)
        #expect(throws: CBORError.self) { try list.decode(Int.self) }
        #expect(try container.nestedContainer(keyedBy: Key.self, forKey: .map).decode(Bool.self, forKey: .list))
        #expect(try container.superDecoder().singleValueContainer().decode(String.self) == "s")
        #expect(try container.superDecoder(forKey: .list).codingPath.map(\.stringValue) == ["list"])
      }
    }
    let value = try CBORValue(json: #"{"list": [null, [], {}, 4, 5], "map": {"list": true}, "super": "s"}"#)
    #expect(throws: Never.self) { try CBORDecoder().decode(Probe.self, from: value.encoded()) }
  }

  @Test func `decoder kept beyond its call reads nothing`() throws {
    struct Keeper: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) throws { self.decoder = decoder }
    }
    let decoder = try #require(try CBORDecoder().decode([Keeper].self, from: hex("81 6568656c6c6f")).first).decoder
    #expect(throws: CBORError.self) { try decoder.singleValueContainer().decode(String.self) }
    #expect(throws: CBORError.self) { try decoder.unkeyedContainer() }
    #expect(decoder.codingPath.isEmpty)
  }
}
