import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesBulkCommands

@Suite struct LocatedCitiesTests {
  private func reply(_ random: inout SeededGenerator) -> CityLocate.Reply {
    let count = Int.random(in: 0...30, using: &random)
    var rows: [CityRow] = []
    for place in 0..<count {
      let name = String(repeating: "ü", count: Int.random(in: 0...70, using: &random))
      var row = CityRow(
        id: UInt64.random(in: 1...UInt64.max, using: &random), lat: Double(place) + 0.25, lon: -1e-5, name: name,
        country: place % 3 == 0 ? "" : "EE")
      if place % 2 == 1 { row.population = 1 << UInt64(place) }
      rows.append(row)
    }
    let length = Int.random(in: 0...300, using: &random)
    let index: [UInt32] = (0..<length).map { _ in UInt32.random(in: 0...40, using: &random) }
    let ids: [UInt64] = index.map { UInt64($0) }
    let metres: [UInt32] = index.map { $0 &* 70_000 }
    return CityLocate.Reply(ids: ids, metres: metres, rows: rows, index: index, generation: "00000000000000aa")
  }

  @Test func aReplyReadInPlaceIsTheReplyDecodedAsItsType() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<50 {
      let reply = reply(&random)
      let bytes = try CBOREncoder().encode(ServerEnvelope<CityLocate>(id: 7, result: reply))
      let found = try bytes.withUnsafeBytes { try LocatedCities.read($0).get() }
      #expect(found == LocatedCities(reply))
      #expect(found.ids == reply.rows?.map(\.id))
      for (place, row) in (reply.rows ?? []).enumerated() {
        #expect(Array(found.title(at: place)) == Array(row.title.utf8))
      }
    }
  }

  @Test func anErrorIsPassedOnAndOtherBytesAreRefused() throws {
    let error = WireError(.busy, "later")
    let bytes = try CBOREncoder().encode(ServerEnvelope<CityLocate>(id: 7, error: error))
    #expect(throws: error) { try bytes.withUnsafeBytes { try LocatedCities.read($0).get() } }
    #expect(throws: (any Error).self) { try [UInt8]([0x80]).withUnsafeBytes { try LocatedCities.read($0).get() } }
  }

  @Test func noMutatedReplyTraps() throws {
    var random = SeededGenerator(seed: 6)
    let bytes = try CBOREncoder().encode(ServerEnvelope<CityLocate>(id: 7, result: reply(&random)))
    for _ in 0..<3_000 {
      var mutated = bytes
      mutated[Int.random(in: 0..<mutated.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      if Bool.random(using: &random) { mutated.removeLast(Int.random(in: 0..<mutated.count, using: &random)) }
      _ = try? mutated.withUnsafeBytes { try LocatedCities.read($0) }
    }
  }
}
