import CBOR
import Testing

/// Maps written by the keys of a type.
@Suite struct MapWriterTests {
  private struct Row: Codable {
    var id: UInt64
    var name: String?
    var open: Bool
    var metres: TypedArray<UInt32>?
    var timeZone: String?
    var unknownHours: Int?

    enum CodingKeys: String, CodingKey {
      case id, name, open, metres
      case timeZone = "time_zone"
      case unknownHours = "unknown_hours"
    }
  }

  private func written(_ row: Row) -> [UInt8] {
    var writer = CBORWriter()
    writer.writeMap(Row.CodingKeys.self) { map in
      map.write(.id, row.id)
      map.write(.name, row.name)
      map.write(.open, row.open)
      map.write(.metres, row.metres)
      map.write(.timeZone, row.timeZone)
      map.write(.unknownHours, row.unknownHours)
    }
    return writer.bytes
  }

  @Test func `a map has the pairs that have values`() throws {
    let least = Row(id: 7, open: false)
    let most = Row(
      id: .max, name: "Ülenurme", open: true, metres: TypedArray([1, 1 << 20]), timeZone: "Europe/Tallinn",
      unknownHours: -3)
    for row in [least, most] { #expect(try written(row) == CBOREncoder().encode(row)) }
  }

  @Test func `nested maps, arrays and encoded pairs are counted once`() throws {
    var writer = CBORWriter()
    writer.writeMap(Row.CodingKeys.self) { map in
      map.write(.id) { $0.writeMap(Row.CodingKeys.self) { $0.write(.open, true) } }
      // The pairs "a": 1 and "b": 2.
      ([0x61, 0x61, 1, 0x61, 0x62, 2] as [UInt8]).withUnsafeBytes { map.writeEncoded(pairs: 2, $0) }
      map.write(.name, arrayOf: [3, 4]) { $1.writeInteger(Int64($0)) }
    }
    let nested: [UInt8] = [0x62, 0x69, 0x64, 0xA1, 0x64, 0x6F, 0x70, 0x65, 0x6E, 0xF5]
    let name: [UInt8] = [0x64, 0x6E, 0x61, 0x6D, 0x65, 0x82, 3, 4]
    #expect(writer.bytes == [0xA4] + nested + [0x61, 0x61, 1, 0x61, 0x62, 2] + name)
  }

  @Test func `an error ends the map`() {
    var writer = CBORWriter()
    #expect(throws: CBORError.self) {
      try writer.writeMap(Row.CodingKeys.self) { (map) throws(CBORError) in
        try map.write(.id) { (writer) throws(CBORError) in try writer.writeDouble(.nan) }
      }
    }
  }

  #if DEBUG
    @Test func `a key that is out of order traps in debug builds`() async {
      await #expect(processExitsWith: .failure) {
        enum Keys: String, CodingKey { case id, name, zone }
        var writer = CBORWriter()
        writer.writeMap(Keys.self) { map in
          map.write(.name, true)
          map.write(.id, true)
        }
      }
    }
  #endif
}
