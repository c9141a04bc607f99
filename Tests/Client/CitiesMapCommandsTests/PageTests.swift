import CitiesCommands
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesMapCommands

@Suite struct PageTests {
  private static let generation = "00000000000000aa"

  private static func city(
    _ id: UInt64, _ name: String, _ country: String, _ lat: Double, _ lon: Double, _ people: UInt64
  ) -> CityRow {
    CityRow(id: id, lat: lat, lon: lon, name: name, country: country, population: people)
  }

  private static let tallinn: CityRow = {
    var city = Self.city(588_409, "Tallinn", "EE", 59.43696, 24.75353, 394_024)
    (city.region, city.alternates) = ("Harjumaa", ["Reval", "TLL", "tallin", "Таллин"])
    return city
  }()
  private static let maardu = city(1, "Maardu", "EE", 59.47667, 25.025, 16_630)
  private static let quarter = city(2, "Kesklinn", "EE", 59.43, 24.76, 60_000)
  private static let helsinki = city(3, "Helsinki", "FI", 60.16952, 24.93545, 658_864)

  /// A server that knows Tallinn and its surroundings on a day in June.
  private static func server(_ request: FakeServer.Request) -> [FakeServer.Step] {
    if request.params(CityGet.self) != nil {
      return [request.reply(CityGet.self, .init(city: tallinn, generation: generation))]
    }
    if let time = request.params(CityTime.self) {
      var row = CityTime.Row(city: tallinn, zone: "Europe/Tallinn")
      (row.local, row.offset) = ("2026-06-21T12:00:00", "+03:00")
      row.change = .init(at: Timestamp(text: "2026-10-25T01:00:00Z"), local: "2026-10-25T03:00:00", offset: "+02:00")
      let rows = time.places.map { _ in row }
      let now = Timestamp(text: "2026-06-21T09:00:00Z")
      return [request.reply(CityTime.self, .init(at: now, rows: rows, generation: generation))]
    }
    if request.params(CityNear.self) != nil {
      let rows = [(tallinn, 0), (quarter, 900), (maardu, 16_200)].map { CityNear.Neighbour(city: $0.0, distance: $0.1) }
      let origin = Position(lat: 59.43696, lon: 24.75353)
      return [request.reply(CityNear.self, .init(rows: rows, origin: origin, generation: generation))]
    }
    if let search = request.params(CitySearch.self) {
      let rows = search.country == "estonia" ? [tallinn, maardu] : []
      let reply = CitySearch.Reply(rows: rows, total: UInt64(rows.count), common: "", generation: generation)
      return [request.reply(CitySearch.self, reply)]
    }
    guard let within = request.params(CityWithin.self) else { return [request.failure(.invalidParams, "no country")] }
    let rows = [helsinki, tallinn, quarter].filter { $0.population ?? 0 >= within.population ?? 0 }
    return [request.reply(CityWithin.self, .init(rows: rows, generation: generation))]
  }

  @Test func `a city is a page with its time, its sun and its surroundings`() throws {
    let result = try outcome(["show", "tallinn", "-o", "table"], Self.server)
    #expect(result.status == .found && result.errors == "")
    #expect(
      result.output == """
        Tallinn, EE
          other names   Reval, Таллин, tallin
          country       Estonia (EE)
          region        Harjumaa
          population    394,024
          local time    Sun 2026-06-21 12:00 +03:00
          time zone     Europe/Tallinn
          clock change  Sun 2026-10-25 03:00 (+02:00)
          sun           rises 04:03, sets 22:43
          position      59.43696,24.75353
          id            588409
          code          TLL
          large city    Helsinki, FI, 82.1 km north
          neighbours    Maardu, 16.0 km east

        """)
  }

  @Test func `the large city is the nearest, although the corner of a square is farther than its side`() throws {
    // 262 km away in the corner of the first square, and 201 km away outside of it.
    let corner = Self.city(4, "Corner", "EE", 61.1, 28.2, 200_000)
    let beside = Self.city(5, "Beside", "EE", 57.63, 24.75, 200_000)
    let result = try outcome(["show", "tallinn", "-o", "table"]) { request in
      guard let within = request.params(CityWithin.self) else { return Self.server(request) }
      let rows = [corner, beside].filter { (within.box.south...within.box.north).contains($0.lat) }
      return [request.reply(CityWithin.self, .init(rows: rows, generation: Self.generation))]
    }
    #expect(result.output.contains("large city    Beside, 201 km south\n"))
  }

  @Test func `a country is a page or a row`() throws {
    let page = try outcome(["country", "estonia", "-o", "table"], Self.server)
    #expect(page.status == .found && page.errors == "")
    #expect(
      page.output == """
        Estonia
          code          EE
          capital       Tallinn  394,024
          large cities  Maardu  16,630
          cities        2
          currency      EUR
          languages     Estonian
          calling code  +372
          neighbours    Latvia, Russia

        """)
    let row = try outcome(["country", "estonia"], Self.server)
    #expect(row.output == "EE\tEstonia\tTallinn\t588409\tEUR\t\t2\n")
    #expect(try outcome(["country", "narnia"], Self.server).status == .usage)
    #expect(try outcome(["country"], Self.server).status == .usage)
  }

  @Test func `a distance is that of the great circle with its bearing`() throws {
    let words = ["distance", "tallinn", "60.16952,24.93545"]
    #expect(try outcome(words, Self.server).output == "Tallinn, EE\tgeo:60.16952,24.93545\t82090\t7.0\n")
    let table = try outcome(words + ["-o", "table"], Self.server).output
    #expect(table.contains("82.1 km  north\n"))
    for words in [["distance"], ["distance", "a", "b", "c"], ["distance", "a", "91,0"]] {
      #expect(try outcome(words, Self.server).status == .usage)
    }
  }
}
