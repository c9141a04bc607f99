import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesBulkCommands

@Suite struct BulkReplyTests {
  private func rows(_ random: inout SeededGenerator) -> [CityRow] {
    (0..<Int.random(in: 0...30, using: &random)).map { place in
      let name = String(repeating: "ü", count: Int.random(in: 0...70, using: &random))
      var row = CityRow(
        id: UInt64.random(in: 1...UInt64.max, using: &random), lat: Double(place) + 0.25, lon: -1e-5, name: name,
        country: place % 3 == 0 ? "" : "EE")
      if place % 2 == 1 { row.population = 1 << UInt64(place) }
      if place % 4 != 1 { row.region = String(repeating: "õ", count: Int.random(in: 0...40, using: &random)) }
      return row
    }
  }

  private func places(_ random: inout SeededGenerator) -> [UInt32] {
    let length = Int.random(in: 0...300, using: &random)
    return (0..<length).map { _ in UInt32.random(in: 0...40, using: &random) }
  }

  private func located(_ random: inout SeededGenerator) -> CityLocate.Reply {
    let index = places(&random)
    let (ids, metres): ([UInt64], [UInt32]) = (index.map { UInt64($0) }, index.map { $0 &* 70_000 })
    return CityLocate.Reply(ids: ids, metres: metres, rows: rows(&random), index: index, generation: "00000000000000aa")
  }

  private func matched(_ random: inout SeededGenerator) -> CityMatch.Reply {
    let index = places(&random)
    let classes = index.map { CityMatch.Certainty(rawValue: UInt8($0 % 4)) ?? .none }
    return CityMatch.Reply(
      ids: index.map { UInt64($0) }, classes: classes, rows: rows(&random), index: index,
      complete: index.count % 2 == 0, generation: "00000000000000aa")
  }

  private func read<Message: RequestMessage>(_ message: Message.Type, _ reply: Message.Reply) throws -> BulkReply {
    let bytes = try CBOREncoder().encode(ServerEnvelope<Message>(id: 7, result: reply))
    return try bytes.withUnsafeBytes { try BulkReply.read($0).get() }
  }

  @Test func `a reply in another encoding has the same parts`() throws {
    var random = SeededGenerator(seed: 5)
    let bytes = try CBOREncoder().encode(ServerEnvelope<CityMatch>(id: 7, result: matched(&random)))
    // A map of indefinite length.
    let other = [0xbf] + bytes.dropFirst() + [0xff]
    let one = try bytes.withUnsafeBytes { try BulkReply.read($0).get() }
    let two = try other.withUnsafeBytes { try BulkReply.read($0).get() }
    #expect(one == two && !one.classes.isEmpty)
  }

  @Test func `a reply read in place has the parts of the reply`() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      var (located, matched) = (located(&random), matched(&random))
      located.countries = TextLines(located.metres.elements.map { $0 % 3 == 0 ? "" : "EE" })
      located.certain = TypedArray(located.metres.elements.map { UInt8($0 % 2) })
      let (placed, named) = (try read(CityLocate.self, located), try read(CityMatch.self, matched))
      #expect(placed.metres == located.metres.elements && placed.classes.isEmpty)
      #expect(placed.certain == located.certain?.elements)
      #expect(placed.countries.map { String(decoding: $0, as: UTF8.self) } == located.countries?.texts)
      #expect(named.classes == matched.classes.elements && named.metres.isEmpty && named.countries.isEmpty)
      for (found, index, generation, rows) in [
        (placed, located.index, located.generation, located.rows),
        (named, matched.index, matched.generation, matched.rows),
      ] {
        #expect(found.index == index?.elements && found.generation == generation && found.cities.count == rows?.count)
        for (place, row) in (rows ?? []).enumerated() {
          let cities = found.cities
          #expect(cities.id(at: place) == row.id && cities.position(at: place) == (row.lat, row.lon))
          #expect(Array(cities.name(at: place)) == Array(row.name.utf8))
          #expect(Array(cities.country(at: place)) == Array(row.country.utf8))
          #expect(Array(cities.region(at: place)) == Array((row.region ?? "").utf8))
        }
      }
    }
  }

  @Test func `null stands for an optional value that is absent`() throws {
    var row = CityRow(id: 9, lat: 1.5, lon: 2.5, name: "N", country: "EE")
    row.region = "R"
    var full = CityLocate.Reply(ids: [9], metres: [8], rows: [row], index: [0], generation: "00000000000000aa")
    full.countries = TextLines(["EE"])
    var bytes = try CBOREncoder().encode(ServerEnvelope<CityLocate>(id: 7, result: full))
    for (key, value) in [("region", "aR"), ("countries", "cEE\n")] {
      let place = try #require(bytes.firstRange(of: Array((key + value).utf8)))
      bytes.replaceSubrange(place, with: Array(key.utf8) + [0xf6])
    }
    let reply = try bytes.withUnsafeBytes { try BulkReply.read($0).get() }
    #expect(reply.index == [0] && reply.metres == [8] && reply.countries.isEmpty && reply.cities.count == 1)
    #expect(reply.cities.region(at: 0).isEmpty && Array(reply.cities.country(at: 0)) == Array("EE".utf8))
  }

  @Test func `an error is passed on and other bytes are refused`() throws {
    let error = WireError(.busy, "later")
    let bytes = try CBOREncoder().encode(ServerEnvelope<CityLocate>(id: 7, error: error))
    for (payload, isError) in [(bytes, true), ([0x80], false)] {
      let found = #expect(throws: (any Error).self) {
        try payload.withUnsafeBytes { try BulkReply.read($0).get() }
      }
      #expect((found as? WireError == error) == isError)
    }
  }

  @Test func `no mutated reply traps`() throws {
    var random = SeededGenerator(seed: 6)
    let bytes = try CBOREncoder().encode(ServerEnvelope<CityMatch>(id: 7, result: matched(&random)))
    for _ in 0..<3_000 {
      var mutated = bytes
      mutated[Int.random(in: 0..<mutated.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      if Bool.random(using: &random) { mutated.removeLast(Int.random(in: 0..<mutated.count, using: &random)) }
      _ = try? mutated.withUnsafeBytes { try BulkReply.read($0) }
    }
  }
}
