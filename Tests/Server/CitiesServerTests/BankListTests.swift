import Banks
import CBOR
import CitiesProtocol
import Testing

@testable import CitiesServer

@Suite struct BankListTests {
  let client: TestClient

  init() throws { client = try RunningServer.withBanks().client() }

  private func titles(_ filter: BankConditions? = nil) throws -> [String] {
    try client.ask(BankList(filter: filter)).rows.map(\.location.title)
  }

  @Test func `regions stand under their countries, all in alphabetical order, with their counts`() throws {
    let id = try client.send(BankRegions())
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<BankRegions>.self, from: bytes).result)
    #expect(reply.countries.map(\.name) == ["Bosnia and Herzegovina", "Estonia", "Latvia", "Lithuania"])
    #expect(
      reply.countries.map(\.country) == ["BA", "EE", "LV", "LT"] && reply.countries.map(\.count) == [1, 4, 3, 2])
    #expect(reply.countries[0].regions == [.init(name: nil, count: 1)])
    #expect(reply.countries[1].regions.map(\.name) == ["Haabersti", "Hiiu maakond", nil])
    #expect(reply.countries[1].regions.map(\.count) == [2, 1, 1])
    #expect(reply.countries[2].regions.map(\.name) == ["Cēsu novads", "Rīga"])
    #expect(reply.countries[3].regions.map(\.name) == ["Alytaus apskritis", "Šiaulių apskritis"])
    #expect(reply.total == 10)
    #expect(try CBOREncoder().encode(ServerEnvelope<BankRegions>(id: id, result: reply)) == bytes)
  }

  @Test func `headings without a location of the filter are left out`() throws {
    let reply = try client.ask(BankRegions(filter: BankConditions(kind: .atm, bank: "swedbank")))
    #expect(reply.countries.map(\.country) == ["EE", "LV", "LT"] && reply.total == 4)
    #expect(reply.countries[0].regions == [.init(name: "Haabersti", count: 1)])
  }

  @Test func `locations come by country, region and title, in the encoder's bytes`() throws {
    let id = try client.send(BankList(filter: BankConditions(at: "2026-03-27T12:00:00Z")))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<BankList>.self, from: bytes).result)
    #expect(
      reply.rows.map(\.location.title) == [
        "Poslovnica", "Õismäe", "oismae Prisma", "Kärdla kontor", "Kesk 4", "Cēsis", "Āgenskalns", "Zolitūde", "Alytus",
        "Žvėrynas",
      ])
    #expect(reply.total == 10 && reply.rows.allSatisfy { $0.distance == nil })
    #expect(
      reply.rows.map(\.open) == [.no, .yes, .yes, .unknown, .unknown, .yes, .unknown, .yes, .unknown, .unknown])
    #expect(try CBOREncoder().encode(ServerEnvelope<BankList>(id: id, result: reply)) == bytes)
  }

  @Test(
    arguments: [
      (BankConditions(country: "ee", region: "haabersti"), ["Õismäe", "oismae Prisma"]),
      (BankConditions(country: "Latvia"), ["Cēsis", "Āgenskalns", "Zolitūde"]), (BankConditions(region: "RIGA"), 2),
      (BankConditions(region: ""), ["Poslovnica", "Kesk 4"]), (BankConditions(kind: .bna), ["Kärdla kontor"]),
      (BankConditions(kinds: [.bna, .unknown]), ["Kärdla kontor", "Kesk 4"]),
      (BankConditions(kind: .bna, kinds: [.bna, .atm]), ["Kärdla kontor"]),
      (BankConditions(kind: .bna, kinds: [.atm]), 0),
      (BankConditions(kind: .unknown), ["Kesk 4"]), (BankConditions(bank: "imaginary"), ["Poslovnica"]),
      (BankConditions(bank: "Swedbank-LT"), ["Alytus", "Žvėrynas"]),
      (
        BankConditions(bank: "swedbank", open: true, at: "2026-03-27T23:00:00Z"),
        ["oismae Prisma", "Cēsis", "Zolitūde"]
      ),
      (BankConditions(country: "LT", open: false), ["Alytus", "Žvėrynas"]),
    ] as [(BankConditions, any Sendable)])
  func `a filter takes what fits all of its conditions`(filter: BankConditions, expected: any Sendable) throws {
    let found = try titles(filter)
    if let count = expected as? Int { #expect(found.count == count) } else { #expect(found == expected as? [String]) }
  }

  @Test(
    arguments: [
      (BankConditions(country: "Sweden"), "filter.country", "Bosnia and Herzegovina, Estonia, Latvia, Lithuania"),
      (BankConditions(region: "Nowhere"), "filter.region", "bank.regions lists them"),
      (BankConditions(country: "LT", region: "Rīga"), "filter.region", "no region \"Rīga\""),
      (BankConditions(bank: "swed"), "filter.bank", "imaginary, swedbank-ee, swedbank-lt, swedbank-lv"),
      (BankConditions(kind: .init(rawValue: "bank")), "filter.kind", "branch, atm, bna, unknown"),
      (BankConditions(kinds: [.atm, .init(rawValue: "x")]), "filter.kinds", "no kind \"x\"; there are branch, atm"),
      (BankConditions(kinds: []), "filter.kinds", "at least one"),
      (BankConditions(at: "yesterday"), "filter.at", "not an RFC 3339 time"),
      (BankConditions(at: "2026-03-27T23:00:00.5"), "filter.at", "expected \"Z\" or an offset"),
    ])
  func `a name that nothing has is refused, with what there is`(
    filter: BankConditions, param: String, known: String
  ) throws {
    for error in [
      try client.error(BankList(filter: filter)), try client.error(BankSearch(query: "", filter: filter)),
      try client.error(BankRegions(filter: filter)),
      try client.error(BankNear(place: Place(at: Position(lat: 1, lon: 1)), filter: filter)),
    ] {
      #expect(error?.code == .invalidParams && error?.data?.param == param)
      #expect(error?.message.contains(known) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `pages put together are the whole list`() throws {
    let whole = try client.ask(BankList())
    var rows: [BankEntry] = []
    for offset in stride(from: UInt64(0), through: 12, by: 3) {
      let page = try client.ask(BankList(offset: offset, limit: 3, generation: whole.generation))
      #expect(page.total == 10)
      rows += page.rows
    }
    #expect(rows == whole.rows)
    #expect(try client.ask(BankList(limit: 0)).rows.isEmpty && client.ask(BankList(offset: .max)).rows.isEmpty)
  }

  @Test func `too large a limit is refused`() throws {
    #expect(try client.error(BankList(limit: 1_001))?.data?.param == "limit")
    #expect(try client.error(BankSearch(query: "", limit: 1_001))?.data?.param == "limit")
    #expect(try client.error(BankNear(place: Place(id: 10), limit: 1_001))?.data?.param == "limit")
  }

  @Test(
    arguments: [
      (BankConditions(country: "Latvja"), "filter.country", "Latvja", "Latvia", 4),
      (BankConditions(region: "Hiiu makond"), "filter.region", "Hiiu makond", "Hiiu maakond", 6),
      (BankConditions(bank: "imaginery"), "filter.bank", "imaginery", "imaginary", 4),
      (BankConditions(kind: .init(rawValue: "branhc")), "filter.kind", "branhc", "branch", 4),
      (BankConditions(kinds: [.atm, .init(rawValue: "bnaa")]), "filter.kinds", "bnaa", "bna", 4),
    ] as [(BankConditions, String, String, String, UInt64)])
  func `an unknown name has the known ones beside it, the nearest first`(
    conditions: BankConditions, param: String, value: String, nearest: String, total: UInt64
  ) throws {
    let error = try RunningServer.withBanks().client().error(BankList(filter: conditions))
    let data = try #require(error?.data)
    #expect(error?.code == .invalidParams && data.param == param && data.value == value)
    #expect(data.known?.first == nearest && data.known.map { UInt64($0.count) } == total && data.knownTotal == total)
    #expect(error?.message == "the parameter \"\(param)\": \(data.problem ?? "")")
  }

  @Test func `a long name is cut, and a long list has its nearest names`() throws {
    let locations = (0..<60).map { number in
      var location = SmallBanks.locations[0]
      location.region = "Region \(number)"
      return location
    }
    // Without feeds that have no data: any region may be in them.
    let reports = SmallBanks.reports.filter { $0.feed.rawValue == locations[0].bank }
    let client = try RunningServer.withBanks(locations, reports: reports).client()
    let near = try client.error(BankList(filter: BankConditions(region: "Regoin 37")))?.data
    #expect(near?.known?.first == "Region 37" && near?.known?.count == ErrorData.maximumKnown && near?.knownTotal == 60)
    let long = try client.error(BankList(filter: BankConditions(region: String(repeating: "ä", count: 9_000))))?.data
    #expect(long?.value == String(repeating: "ä", count: 80) && long?.known?.count == ErrorData.maximumKnown)
  }
}
