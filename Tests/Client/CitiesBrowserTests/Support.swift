import CBOR
import CitiesMap
import CitiesProtocol
import Testing

@testable import CitiesBrowser

/// A browser with a server made of arrays, which answers when a test calls for it.
struct Rig {
  var browser: Browser
  /// Requests without an answer, the oldest first.
  private(set) var asked: [IssuedRequest] = []
  private(set) var log: [any RequestMessage] = []
  /// How the browser was left.
  private(set) var departure: Departure?
  /// Positions that were to be kept.
  private(set) var kept: [Position] = []
  /// Other commands, in order, in words.
  private(set) var performed: [String] = []
  var world = World()

  init(
    _ purpose: Browser.Purpose = .browse, prefix: String = "", here: Position? = nil, zoneCity: String? = nil,
    state: BrowserState = BrowserState(), rows: Int = 24, columns: Int = 80, world: World = World(),
    answers: Bool = true
  ) {
    self.world = world
    let size = ScreenSize(rows: rows, columns: columns)
    browser = Browser(
      purpose, prefix: prefix, here: here, zoneCity: zoneCity, state: state, size: size, now: World.now)
    take(.resized(size))
    if answers { answerAll() }
  }

  mutating func take(_ event: BrowserEvent) {
    for command in browser.update(event) {
      switch command {
      case .ask(let question):
        asked.append(question)
        log.append(question.message)
      case .redraw: break
      case .keep(let position): kept.append(position)
      case .remember(.order(let order)): performed.append("remember \(order.rawValue)")
      case .remember(.part(let part)): performed.append("remember \(part.rawValue)")
      case .remember(.visit(let city)): performed.append("visit \(city.name)")
      case .remember(.forget(let id)): performed.append("forget \(id)")
      case .copy(let position): performed.append("copy \(position.lat),\(position.lon)")
      case .open(let position): performed.append("open \(position.lat),\(position.lon)")
      case .loadSamples: performed.append("load samples")
      case .leave(let departure): self.departure = departure
      }
    }
  }

  /// Presses keys, each answered before the next.
  mutating func press(_ keys: KeyPress...) {
    for key in keys {
      take(.key(key))
      answerAll()
    }
  }

  /// Types a text, each character answered before the next.
  mutating func type(_ text: String) { for character in text { press(.character(character)) } }

  mutating func answer() {
    guard !asked.isEmpty else { return }
    let next = asked.removeFirst()
    take(.answer(id: next.id, world.answer(next.message)))
  }

  mutating func answerAll() { while !asked.isEmpty { answer() } }

  /// The connection breaks, and open requests are lost.
  mutating func disconnect() {
    asked = []
    take(.disconnected(reason: "the connection was lost"))
  }

  /// The user presses no key for a moment.
  mutating func rest() {
    take(.rested)
    answerAll()
  }

  /// Questions for titles that were asked, not those for what is suggested.
  var searches: [CitySearch] {
    log.compactMap { request in
      guard let search = request as? CitySearch, search.sort == nil && search.with != nil || !search.prefix.isEmpty
      else { return nil }
      return search
    }
  }
  /// Areas whose largest cities were asked for.
  var areas: [CityWithin] { log.compactMap { $0 as? CityWithin } }
  /// Queries by name that were asked.
  var finds: [String] { log.compactMap { ($0 as? CityFind)?.query } }

  var picture: Picture { painter.picture(of: browser) }
  var lines: [String] { picture.lines }
  /// All clocks are two hours before UTC.
  private var painter: Painter { Painter(.unicode) { zone, _ in zone == "Europe/Tallinn" ? 7_200 : nil } }
}

/// The data of the made-up server.
struct World: Sendable {
  var cities: [CityRow] = [
    city(1, "Alabama", "US"), city(2, "Albuquerque", "US"), city(3, "Łódź", "PL"), city(4, "São Paulo", "BR"),
    city(5, "Springfield", "US", lat: 39.8), city(6, "Springfield", "US", lat: 42.1),
  ]
  /// Other names of cities, by id.
  var otherNames: [UInt64: [String]] = [:]
  /// The id of the city that people most likely mean, if a query finds it.
  var best: UInt64?
  /// 2026-11-22 11:52 UTC, a Sunday.
  static let now: Int64 = 1_795_348_320
  var generation = "00000000000000aa"
  var skus = ["M2007", "T2006"]
  var problem: WireError?
  /// Rows that the server claims to have, whatever it has.
  var claimed: UInt64?
  var sources = Provenance(feeds: [.init(feed: .swedbankEE, asOf: Timestamp(secondsSince1970: 0), stale: false)])
  var locations: [BankEntry] = [
    location("a", "Hansa", .branch, "Tartu", "EE", "Estonia", .yes),
    location("b", "Kaubamaja", .atm, "Tallinn", "EE", "Estonia", .no),
    location("c", nil, .bna, nil, "LV", "Latvia", .unknown),
  ]

  static func city(
    _ id: UInt64, _ name: String, _ country: String, lat: Double = 1.5, population: UInt64? = nil
  ) -> CityRow {
    CityRow(id: id, lat: lat, lon: 2.5, name: name, country: country, population: population)
  }

  static func location(
    _ id: String, _ name: String?, _ kind: BankRow.Kind, _ region: String?, _ country: String, _ countryName: String,
    _ open: OpenAnswer
  ) -> BankEntry {
    var row = BankRow(
      id: id, bank: "made-up", kind: kind, name: name, address: "Street \(id)", region: region, country: country,
      countryName: countryName, lat: 58, lon: 25, zone: "Europe/Tallinn")
    row.hours = open == .unknown ? nil : [OpeningHours(day: 0, opens: 540, closes: 1_080)]
    return BankEntry(location: row, open: open)
  }

  /// Plain cities in order, enough to be scrolled through.
  static func many(_ count: Int) -> World {
    var world = World()
    world.cities = (1...count).map { city(UInt64($0), "City \(String($0 + 1_000_000).dropFirst())", "XX") }
    return world
  }

  func answer(_ question: any RequestMessage) -> BrowserAnswer {
    if let problem { return .failure(problem) }
    switch question {
    case let search as CitySearch:
      if let asked = search.generation, asked != generation {
        return .failure(WireError(.staleGeneration, "gone", data: .init(generation: generation)))
      }
      var matches = cities.filter { $0.title.lowercased().hasPrefix(search.prefix.lowercased()) }
      if search.sort == .population { matches.sort { $0.population ?? 0 > $1.population ?? 0 } }
      let page = matches.dropFirst(Int(search.offset ?? 0)).prefix(Int(search.limit ?? 20))
        .map { search.with?.contains(.region) == true ? Self.detailed($0) : $0 }
      return .success(
        CitySearch.Reply(rows: page, total: claimed ?? UInt64(matches.count), common: "", generation: generation))
    case let find as CityFind: return .success(CityFind.Reply(rows: found(find.query), generation: generation))
    case let near as CityNear:
      let rows = cities.prefix(Int(near.limit ?? 10)).map { CityNear.Neighbour(city: $0, distance: 10) }
      let origin = near.place.at ?? Position(lat: 0, lon: 0)
      return .success(CityNear.Reply(rows: Array(rows), origin: origin, generation: generation))
    case let within as CityWithin:
      let inside = cities.filter { (within.box.south...within.box.north).contains($0.lat) }
      return .success(CityWithin.Reply(rows: inside, generation: generation))
    case let get as CityGet:
      guard var city = cities.first(where: { $0.id == get.id }) else {
        return .failure(WireError(.notFound, "no city has that id"))
      }
      if get.with?.contains(.alternates) == true { city.alternates = otherNames[city.id] }
      return .success(CityGet.Reply(city: city, generation: generation))
    case is BankRegions: return .success(regions)
    case let search as BankSearch:
      let found = locations.filter { entry in
        let filter = search.filter
        return "\(entry.location.title) \(entry.location.address)".lowercased().contains(search.query.lowercased())
          && filter?.country ?? entry.location.country == entry.location.country
          && filter?.region ?? entry.location.region ?? "" == entry.location.region ?? ""
      }
      return .success(
        BankPage(rows: found, total: UInt64(found.count), sources: sources, generation: generation))
    case let near as BankNear:
      let rows = locations.enumerated().map {
        BankEntry(location: $1.location, open: $1.open, distance: UInt64(1_500 * $0))
      }
      return .success(
        BankNear.Reply(
          rows: rows, origin: near.place.at ?? .init(lat: 0, lon: 0), sources: sources, generation: generation))
    case let get as BankGet:
      guard let entry = locations.first(where: { $0.location.id == get.id }) else {
        return .failure(WireError(.notFound, "nothing has that id"))
      }
      return .success(BankGet.Reply(entry: entry, sources: sources, generation: generation))
    case let list as ProductList: return .success(products(list.in?.first ?? "EUR"))
    case let get as ProductGet: return .success(transactions(get.sku, get.in ?? "EUR"))
    case is RateList:
      let rate = Decimal38(mantissa: 1_359, exponent: -3)
      let row = ConversionRow(from: "EUR", to: "USD", rate: rate, steps: [], derived: false, rounded: false)
      return .success(RateList.Reply(rows: [row], unreachable: [], sources: sources, generation: generation))
    case let refresh as Refresh:
      let feeds = (refresh.feeds ?? []).map { FeedOutcome(feed: $0, outcome: .downloaded, records: 7) }
      return .success(Refresh.Reply(feeds: feeds))
    default: return .failure(WireError(.unknownMethod, "the browser does not ask this"))
    }
  }

  /// A city with its region and its time zone.
  private static func detailed(_ city: CityRow, _ region: String = "Region") -> CityRow {
    var city = city
    (city.region, city.zone) = (city.region ?? region, city.zone ?? "Europe/Tallinn")
    return city
  }

  /// The cities of which some name starts with a query: the best one, then those by their title.
  private func found(_ query: String) -> [CityFind.Row] {
    let query = query.lowercased()
    let named = cities.filter { $0.title.lowercased().hasPrefix(query) }
    let others = cities.compactMap { city in
      otherNames[city.id]?.first { $0.lowercased().hasPrefix(query) }
        .map { CityFind.Row(by: .alternate, city: Self.detailed(city, "Region of \($0)"), matched: $0) }
    }
    let all = named.map { CityFind.Row(by: .name, city: Self.detailed($0)) } + others
    return all.filter { $0.city.id == best } + all.filter { $0.city.id != best }
  }

  private var regions: BankRegions.Reply {
    let countries = [
      BankRegions.Country(
        country: "EE", name: "Estonia", count: 2,
        regions: [.init(name: "Tallinn", count: 1), .init(name: "Tartu", count: 1)]),
      BankRegions.Country(country: "LV", name: "Latvia", count: 1, regions: [.init(name: nil, count: 1)]),
    ]
    return .init(countries: countries, total: 3, sources: sources, generation: generation)
  }

  private func total(_ currency: String, partial: Bool = false) -> TotalRow {
    let amount = Decimal38(mantissa: currency == "EUR" ? 1_499 : 2_037, exponent: -2)
    let left = TotalRow.Remainder(
      currency: "XAU", reason: "unreachable", count: 1, sum: Decimal38(mantissa: 1, exponent: 0))
    return TotalRow(currency: currency, amount: amount, partial: partial, remainders: partial ? [left] : [])
  }

  private func products(_ currency: String) -> ProductList.Reply {
    let rows = skus.map {
      ProductList.Row(sku: $0, count: 2, totals: [total(currency, partial: $0 == "M2007")])
    }
    return .init(rows: rows, total: UInt64(rows.count), sources: sources, generation: generation)
  }

  private func transactions(_ sku: String, _ currency: String) -> ProductGet.Reply {
    let amount = Decimal38(mantissa: 1_000, exponent: -2)
    let rows = [
      ProductGet.Row(amount: amount, currency: "USD", converted: Decimal38(mantissa: 736, exponent: -2)),
      ProductGet.Row(amount: amount, currency: "XAU", reason: "unreachable"),
    ]
    return .init(
      sku: sku, rows: rows, count: 2, paths: [], total: total(currency, partial: sku == "M2007"), rounding: .once,
      sources: sources, generation: generation)
  }
}

extension Picture {
  /// The rows as text, without spaces at their ends.
  var lines: [String] {
    (0..<size.rows).map { row in
      var line = self.row(row).map(\.text).joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
