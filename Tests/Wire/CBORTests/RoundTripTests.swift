import CBOR
import CBORTools
import TestSupport
import Testing

@Suite struct RoundTripTests {
  struct Row: Codable, Equatable {
    var id: UInt64
    var name: String
    var lat: Double
    var note: String?
    var kind: Kind
    var inner: Inner?
  }
  enum Kind: String, Codable, Equatable { case plain, shaped }
}

extension RoundTripTests.Row {
  struct Inner: Codable, Equatable { var flags: [Bool], ready: [String: Bool] }
}

extension RoundTripTests {
  @Test func `structures enums optionals and dictionaries round trip`() throws {
    let rows = [
      Row(id: 1, name: "Zürich", lat: 47.36667, note: nil, kind: .plain),
      Row(id: 1 << 40, name: "", lat: -1, note: "x", kind: .shaped),
      Row(
        id: 0, name: "a", lat: 0.5, note: "", kind: .plain,
        inner: .init(flags: [true, false], ready: ["b": true, "a": false])),
    ]
    let bytes = try CBOREncoder().encode(rows)
    #expect(try CBORDecoder().decode([Row].self, from: bytes) == rows)
    #expect(
      try CBORValue(decoding: bytes).diagnostic == """
        [{"id": 1, "lat": 47.36667, "kind": "plain", "name": "Zürich"}, {"id": 1099511627776, "lat": -1.0, \
        "kind": "shaped", "name": "", "note": "x"}, {"id": 0, "lat": 0.5, "kind": "plain", "name": "a", "note": "", \
        "inner": {"flags": [true, false], "ready": {"a": false, "b": true}}}]
        """)
  }

  @Test func `missing key is named with its path and offset`() throws {
    let bytes = hex("81 a2 62 6964 01 63 6c6174 f93c00")
    let error = #expect(throws: CBORError.self) { try CBORDecoder().decode([Row].self, from: bytes) }
    #expect(error?.description == #"[0]: the key "name" is missing (byte 1)"#)
  }
}
