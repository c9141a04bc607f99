import Banks
import Base
import CBOR
import Cities
import CitiesProtocol
import CivilTime
import Coroutines
import FrameService
import Geodesy
import Logging
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// Work on questions about cities and locations, driven without a connection.
@Suite struct QuerySliceTests {
  private let folder: TemporaryFolder
  private let server: QueryServer

  /// Serves the file of cities, once no process that another test starts has it open for writing.
  private func loadCities() {
    waitUntilUnwritten(folder.path("cities.index"))
    server.cities.loadNow()
  }

  init() throws {
    folder = try TemporaryFolder()
    server = try QueryServer(
      ServerConfiguration(stateFolder: folder.path), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try SmallBanks.write(to: folder.path("banks.resident"))
    server.banks.loadNow()
    try Self.largeIndex.get().write(to: folder.path("cities.index"))
    loadCities()
  }

  /// 9,000 of them, made once.
  private static let largeIndex = Result { try manyCities(9_000) }

  /// Cities of which thousands begin alike, have as many inhabitants, or lie in one place.
  private static func manyCities(_ count: UInt64) throws -> ResidentImage {
    var builder = CityIndexBuilder()
    for id in 1...count {
      let city = City(
        id: id, name: "A\(id)", country: "US", latitude: id % 2 == 0 ? 10 : Double(id % 80), longitude: 20,
        population: id % 3 == 0 ? nil : id * 7 % 5_000)
      _ = try builder.add(city)
    }
    return try ResidentCities.image(of: builder, fingerprint: count)
  }

  /// The same work in one slice and in the shortest ones; the result is what the encoder of whole messages writes.
  private func check<Reply: Codable>(
    _ reply: Reply.Type, slices: Int, _ work: () throws -> Computation
  ) throws {
    let whole = try driven(work(), nanoseconds: .max / 2)
    let pieces = try driven(work(), nanoseconds: 0)
    #expect(whole.bytes == pieces.bytes && pieces.slices >= slices, "\(pieces.slices) slices")
    #expect(try CBOREncoder().encode(CBORDecoder().decode(reply, from: whole.bytes)) == whole.bytes)
  }

  private func banks(_ conditions: BankConditions) throws -> BankAnswer {
    let generation = try #require(server.banks.current)
    let feeds = BankFeeds(server.feeds) { [server] in server.missing($0) }
    return BankAnswer(generation, try BankQuestion(conditions, generation.data.calendar), feeds)
  }

  @Test func `questions about locations have the same bytes in slices of any length`() throws {
    let at = "2026-09-21T14:13:20Z"
    for filter in [
      BankConditions(at: at), BankConditions(country: "Estonia", at: at), BankConditions(bank: "imaginary", at: at),
    ] {
      let answer = try banks(filter)
      let page = try Page(offset: 1, limit: 5, default: 5, maximum: 5)
      try check(BankList.Reply.self, slices: 1) {
        Computation(from: []) { budget in try await BankListHandler.list(page, answer, budget) }
      }
      try check(BankRegions.Reply.self, slices: 3) {
        Computation(from: []) { budget in try await BankRegionsHandler.regions(answer, budget) }
      }
      for query in ["", "a", "a e i o"] {
        try check(BankSearch.Reply.self, slices: query.isEmpty ? 1 : 2) {
          Computation(from: []) { budget in try await BankSearchHandler.search(query, page, answer, budget) }
        }
      }
      try check(BankNear.Reply.self, slices: 1) {
        Computation(from: []) { budget in
          let place = FoundPlace(GeoPoint(latitude: 58, longitude: 25))
          return try await BankNearHandler.nearest(to: place, limit: 5, radius: .infinity, answer, nil, budget)
        }
      }
    }
  }

  /// A search that finds nothing as it is typed.
  private func find(_ query: String) throws -> Computation {
    let generation = try #require(server.cities.current)
    var search = NameSearch()
    Array(query.utf8).withUnsafeBytes {
      search.begin($0, PlaceConditions(limit: 10), generation.data.index)
    }
    return Computation(from: []) { [search] budget in
      try await CityFindHandler.rows(of: search, CityAnswer(generation), nil, budget)
    }
  }

  @Test func `misspelt names have the same rows in slices of any length`() throws {
    for query in ["a8x999", "axy12", "a123 us", "nothing of the kind"] {
      try check(CityFind.Reply.self, slices: 1) { try find(query) }
    }
  }

  @Test func `rows of located cities take slices, and no more than a reply`() throws {
    let generation = try #require(server.cities.current)
    let index = generation.data.index
    let places = stride(from: 0, to: index.count, by: 21).map { index.point(at: $0) }
    // Each look-up in the crowd meets thousands of cities: a few are as good as a hundred.
    let isCrowd = { (place: GeoPoint) in place.latitude.rounded() == 10 }
    let points = places.filter { !isCrowd($0) } + places.filter(isCrowd).prefix(4)
    func work(hasRows: Bool) -> Computation {
      Computation(from: []) { budget in
        let found = try await LocatedCities(
          lat: points.map(\.latitude), lon: points.map(\.longitude), .nearest, index.treeAxes, hasRows: hasRows,
          CityAnswer(generation), budget)
        return { (reply: inout CBORWriter) throws(WireError) in try found.write(into: &reply) }
      }
    }
    let whole = try driven(work(hasRows: true), nanoseconds: .max / 2).bytes
    let rows = try CBORDecoder().decode(CityLocate.Reply.self, from: whole).rows ?? []
    #expect(rows.count >= 40)
    let plain = try driven(work(hasRows: false), nanoseconds: 0)
    try check(CityLocate.Reply.self, slices: plain.slices + rows.count) { work(hasRows: true) }
  }

  @Test func `positions near thousands of cities in one place cost little, near others a bounded work`() throws {
    let generation = try #require(server.cities.current)
    let places = (0..<100).map { GeoPoint(latitude: 10, longitude: 20 + Double($0) / 200) }
    func located(_ work: Int, _ generation: ServedGeneration<ResidentCities>) -> Computation {
      Computation(from: []) { budget in
        let found = try await LocatedCities(
          lat: places.map(\.latitude), lon: places.map(\.longitude), .nearest, generation.data.index.treeAxes,
          hasRows: false, CityAnswer(generation), work: work, budget)
        return { (reply: inout CBORWriter) throws(WireError) in try found.write(into: &reply) }
      }
    }
    let reply = try CBORDecoder().decode(
      CityLocate.Reply.self, from: driven(located(100 * 300, generation), nanoseconds: .max / 2).bytes)
    let index = generation.data.index
    let first = (0..<index.count).first { index.point(at: $0).latitude == 10 }
    #expect(reply.ids.elements.allSatisfy { $0 == first.map { index.id(at: $0) } })
    try Self.namesakes(9_000).write(to: folder.path("cities.index"))
    loadCities()
    let crowd = try #require(server.cities.current)
    let error = #expect(throws: WireError.self) { try driven(located(100 * 300, crowd), nanoseconds: 0) }
    #expect(error?.code == .tooExpensive && error?.data?.limit == "locate-work")
  }

  @Test func `a filter by region takes slices among thousands of regions, also if its region is unknown`() throws {
    let count = 3_000
    let spellings = ["a", "á", "à", "â", "ä", "ã", "å", "ā"]
    try SmallBanks.write(
      (0..<count).map { number in
        // Three of four are spellings of one name.
        let spelt = (0..<4).map { spellings[number >> (3 * $0) & 7] }.joined()
        var location = SmallBanks.locations[number % 8]
        (location.sourceID, location.region) = ("\(number)", number % 4 == 0 ? "Region \(number)" : spelt)
        return location
      }, to: folder.path("banks.resident"))
    server.banks.loadNow()
    func slices(_ filter: BankConditions) throws -> Int {
      let answer = try banks(filter)
      return try Coroutine.inTurns(of: 1) { try await answer.selection($0) }.turns
    }
    for filter in [BankConditions(region: ""), BankConditions(country: "EE"), BankConditions(region: "AAAA")] {
      #expect(try slices(filter) >= 1_000)
    }
    let answer = try banks(BankConditions(region: "nowhere"))
    let (error, turns) = try Coroutine.inTurns(of: 1) { budget async throws -> WireError? in
      do { _ = try await answer.selection(budget) } catch let error as WireError { return error }
      return nil
    }
    #expect(turns >= 1_000 && error?.data?.knownTotal.map { $0 >= 1_000 } == true)
  }

  private func near(_ parts: CityParts = []) throws -> Computation {
    let generation = try #require(server.cities.current)
    let search = generation.data.index.nearSearch(GeoPoint(latitude: 10, longitude: 21))
    var neighbours = Neighbours()
    search.begin(limit: 100, radius: .infinity, into: &neighbours)
    return Computation(from: []) { [neighbours] budget in
      try await CityNearHandler.rows(of: search, neighbours, parts, CityAnswer(generation), nil, budget)
    }
  }

  @Test func `questions about cities have the same bytes in slices of any length`() throws {
    try check(CityNear.Reply.self, slices: 10) { try near() }
    try check(CityNear.Reply.self, slices: 10) { try near(.all) }
    let generation = try #require(server.cities.current)
    try check(CityGet.Reply.self, slices: 2) {
      Computation(from: []) { budget in try await CityGetAnswer(CityAnswer(generation), .all).city(7, budget) }
    }
    let places = (0..<20).map { Place(at: Position(lat: 10 + Double($0), lon: 21)) } + [Place(id: 5)]
    let time = AskedMoment.instant(1_790_000_000)
    try check(CityTime.Reply.self, slices: 20) {
      Computation(from: []) { budget in
        let clocks = try await PlaceClocks(
          places, time, CityFinder(), ZoneCache(.system), CityAnswer(generation), budget)
        return { (reply: inout CBORWriter) throws(WireError) in try clocks.write(into: &reply) }
      }
    }
  }

  @Test(arguments: [.region, .all] as [CityParts])
  func `rows with additional fields are written in slices`(parts: CityParts) throws {
    let (rows, generation) = (300, try #require(server.cities.current))
    let index = generation.data.index
    try check(CityNear.Reply.self, slices: rows) {
      let search = index.nearSearch(GeoPoint(latitude: 10, longitude: 20), CityNear.Rule.nearest)
      var neighbours = Neighbours()
      search.begin(limit: rows, radius: .infinity, into: &neighbours)
      let isFound = search.advance(leaves: .max, into: &neighbours)
      #expect(isFound)
      return Computation(from: []) { [neighbours] budget in
        try await CityNearHandler.rows(of: search, neighbours, parts, CityAnswer(generation), nil, budget)
      }
    }
    try check(CityWithin.Reply.self, slices: rows) {
      var search = CityBoxSearch()
      search.begin(GeoBox(south: -90, west: -180, north: 90, east: 180), limit: rows, minimum: 0, index)
      let isFound = search.advance(steps: .max, index)
      #expect(isFound)
      return Computation(from: []) { [search] budget in
        try await CityWithinHandler.rows(of: search, parts, CityAnswer(generation), budget)
      }
    }
  }

  /// Cities that all have one title, less than 2.5 km from the first.
  private static func namesakes(_ count: UInt64) throws -> ResidentImage {
    var builder = CityIndexBuilder()
    for id in 1...count {
      _ = try builder.add(City(id: id, name: "A", country: "US", latitude: Double(id) * 4e-7, longitude: 0))
    }
    return try ResidentCities.image(of: builder, fingerprint: count)
  }

  @Test func `a name of 9,000 cities takes slices`() throws {
    var builder = CityIndexBuilder()
    for id in 1...9_000 as ClosedRange<UInt64> {
      var city = City(
        id: id, name: "A\(id)", country: "US", latitude: Double(id) / 1_000, longitude: 0,
        population: id == 9_000 ? 20_000 : id)
      city.alternates = ["B"]
      _ = try builder.add(city)
    }
    try ResidentCities.image(of: builder, fingerprint: 3).write(to: folder.path("cities.index"))
    loadCities()
    let generation = try #require(server.cities.current)
    let finder = CityFinder()
    let purpose = CityFinder.Purpose.nearest(GeoPoint(latitude: 5, longitude: 0))
    let answer = CityGetAnswer(CityAnswer(generation), .region)
    func city(_ purpose: CityFinder.Purpose, likely: Bool? = nil) -> Computation {
      Computation(from: []) { budget in
        let hit = try await finder.resolve("b", likely: likely, for: purpose, generation.data.index, budget)
        return try await answer.city(hit.rank, resolved: hit, budget)
      }
    }
    try check(CityGet.Reply.self, slices: 9_000 / 64) {
      city(purpose)
    }
    #expect(throws: WireError.self) { try driven(city(.city), nanoseconds: 0) }
    try check(CityGet.Reply.self, slices: 9_000 / 64) { city(.city, likely: true) }
  }

  @Test func `a title of 10,000 cities takes slices, in every question that finds cities by title`() throws {
    let count = 10_000
    let image = try Self.namesakes(UInt64(count))
    try image.write(to: folder.path("cities.index"))
    loadCities()
    let generation = try #require(server.cities.current)
    let (index, finder) = (generation.data.index, CityFinder())
    let place = GeoPoint(latitude: 1, longitude: 0)
    try check(CityGet.Reply.self, slices: count) {
      let (namesakes, answer) = (try finder.namesakes("a", index), CityGetAnswer(CityAnswer(generation), .region))
      return Computation(from: []) { budget in
        let rank = try await index.chosen(among: namesakes, .nearest(to: place), budget)
        return try await answer.city(rank ?? count, budget)
      }
    }
    try check(CityNear.Reply.self, slices: count) {
      Computation(from: []) { budget in
        let place = try await finder.find(Place(title: "a"), "place", index, budget)
        let search = index.nearSearch(place.point)
        var neighbours = Neighbours()
        search.begin(limit: 5, radius: .infinity, into: &neighbours)
        return try await CityNearHandler.rows(of: search, neighbours, [], CityAnswer(generation), nil, budget)
      }
    }
    let running = try RunningServer()
    try SmallBanks.write(to: running.folder.path("state/banks.resident"))
    try image.write(to: running.index)
    let client = try running.client()
    #expect(try eventually { try client.ask(CitySearch(prefix: "a", limit: 0)).total == UInt64(count) })
    #expect(try eventually { try client.ask(Hello(client: "test")).ready["banks"] == true })
    #expect(try client.error(CityGet(title: "a"))?.data?.total == UInt64(count))
    let north = try client.ask(CityGet(title: "a", near: Place(at: Position(lat: 1, lon: 0)))).city
    // Cities a few centimetres apart are as far away in whole metres: the first of those by key is the answer.
    let metres = (1...count).map { place.metres(to: GeoPoint(latitude: Double($0) * 4e-7, longitude: 0)) }
    #expect(north.id == metres.firstIndex(of: metres[count - 1]).map { UInt64($0 + 1) })
    #expect(try client.ask(CityGet(title: "a", near: Place(title: "a"))).city.id == 1)
    #expect(try client.ask(CityNear(place: Place(title: "a"), limit: 1)).rows.map(\.city.id) == [1])
    #expect(try client.ask(BankNear(place: Place(title: "a"), limit: 1)).rows.count == 1)
  }

  @Test func `work keeps the generation that it started with`() throws {
    let work: [Computation] = [try near()]
    let expected = try [driven(near(), nanoseconds: .max / 2)]
    for one in work {
      #expect(try !one.resume(until: 0, stepsPerLook: 1))
    }
    try Self.manyCities(20).write(to: folder.path("cities.index"))
    loadCities()
    // Not even the one that is kept for a while is the old one any more.
    try Self.manyCities(21).write(to: folder.path("cities.index"))
    loadCities()
    #expect(server.cities.current?.data.count == 21)
    for (one, expected) in zip(work, expected) { #expect(try driven(one, nanoseconds: 0).bytes == expected.bytes) }
  }

  @Test func `the server's answers by population are in that order, on every page`() throws {
    let running = try RunningServer()
    try Self.largeIndex.get().write(to: running.index)
    let client = try running.client()
    #expect(try eventually { try client.ask(CitySearch(prefix: "", limit: 0)).total == 9_000 })
    let all = try client.ask(CitySearch(prefix: "a", sort: .population, limit: 1_000))
    let some = try client.ask(CitySearch(prefix: "a", sort: .population, offset: 500, limit: 500))
    #expect(all.rows.count == 1_000 && Array(all.rows[500...]) == some.rows && all.total == 9_000)
    let expected = all.rows.map { ($0.population.map { UInt64.max - $0 } ?? .max) }
    #expect(expected == expected.sorted())
    let few = try client.ask(CitySearch(prefix: "a8", sort: .population, limit: 1_000)).rows
    #expect(few.count == 1_000)
    #expect(try client.ask(CityNear(place: Place(at: Position(lat: 10, lon: 21)), limit: 100)).rows.count == 100)
  }

  @Test func `texts far longer than any value match nothing, for every parameter`() throws {
    let running = try RunningServer()
    try SmallBanks.write(to: running.folder.path("state/banks.resident"))
    let client = try running.client()
    #expect(try eventually { try client.ask(Hello(client: "test")).ready["banks"] == true })
    for long in ["İ", "a", "\u{301}", "각"].map({ String(repeating: $0, count: 60_000 / $0.utf8.count) }) {
      #expect(try client.ask(CitySearch(prefix: long)).total == 0)
      #expect(try client.ask(CitySearch(prefix: long, match: .folded)).total == 0)
      #expect(try client.ask(CitySearch(prefix: "al", country: long)).total == 0)
      #expect(try client.error(CityGet(title: long))?.code == .notFound)
      #expect(try client.error(CityNear(place: Place(title: long)))?.code == .notFound)
      for filter in [BankConditions(country: long), BankConditions(region: long), BankConditions(bank: long)] {
        let error = try client.error(BankList(filter: filter))
        #expect(error?.code == .invalidParams && (error?.message.utf8.count ?? .max) < 1_000)
        #expect(try client.error(BankRegions(filter: filter))?.code == .invalidParams)
      }
      #expect(try client.ask(BankSearch(query: long)).total == 0)
      #expect(try client.error(BankGet(id: long))?.code == .notFound)
    }
  }
}
