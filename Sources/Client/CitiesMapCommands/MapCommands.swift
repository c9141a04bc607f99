internal import CitiesClient
internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl map`: one place, and the cities around it.
struct CityMap {
  let verb: MapVerb
  let context: Context

  private var sender: RequestSender { RequestSender(context: context, connection: verb.connection) }

  /// Whether people see the map at once, with the name on it.
  private var showsTitle: Bool { context.output.isTerminal }

  /// Draws it to standard output.
  func draw() throws -> ExitStatus {
    if let country = verb.country { return try draw(country: country) }
    guard let place = try verb.target, place.at == nil else {
      let position = try verb.target?.at
      return try draw(try position ?? HereFile(environment: context.environment).required())
    }
    let reply: CityGet.Reply
    do {
      reply = try context.city(
        place, near: verb.near, takesFirst: verb.takesFirst, isNoted: !showsTitle, verb.connection)
    } catch let failure as CommandFailure {
      if place.query?.lowercased() == Self.world { return try drawWorld() }
      guard let country = failure.country, let query = place.query, failure.query == query else { throw failure }
      if !showsTitle { context.diagnostics.note("country", "\"\(query)\" is a country") }
      return try draw(country: country)
    }
    let mark = MapMark(at: reply.city.position, kind: .city, label: reply.city.title, isChosen: true)
    let subject = MapSubject(title: reply.city.title, marks: [mark])
    return try printer(without: reply.city.id).write(subject) { try context.writeGeoJSON(reply) }
  }

  /// What draws the world; no city is called so.
  private static let world = "world"

  private func drawWorld() throws -> ExitStatus {
    let page = try sender.send(CitySearch(prefix: "", sort: .population, limit: CitySearch.maximumLimit))
    let marks = page.rows.map { MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true) }
    let surroundings = Surroundings(sender: sender, shown: Set(page.rows.map(\.id)))
    return try MapPrinter(options: verb.map, context: context, surroundings: surroundings)
      .write(MapSubject(title: "The world", marks: marks, framed: [])) { try context.writeGeoJSON(page) }
  }

  private func draw(country: String) throws -> ExitStatus {
    try CountryMap(sender: sender, context: context).draw(country, verb.map)
  }

  private func draw(_ position: Position) throws -> ExitStatus {
    let subject = MapSubject(title: geoURI(position), marks: [MapMark(at: position, kind: .here, isChosen: true)])
    return try printer(without: nil).write(subject) { try context.writeGeoJSON(position) }
  }

  private func printer(without chosen: UInt64?) -> MapPrinter {
    let surroundings = Surroundings(sender: sender, shown: chosen.map { [$0] } ?? [])
    return MapPrinter(options: verb.map, context: context, surroundings: surroundings)
  }
}

extension CityRow {
  var position: Position { Position(lat: lat, lon: lon) }
}

/// The cities whose names make a map readable.
struct Surroundings {
  let sender: RequestSender
  /// The cities that the map shows anyhow, by id.
  let shown: Set<UInt64>
  /// How many cities may be named.
  var most = Int.max

  /// Cities in the picture, the largest first; each is shown only where there is room for its name.
  func names(on view: Viewport) throws -> [MapMark] {
    let cities = try sender.send(CityWithin(box: view.area, limit: CityWithin.maximumLimit)).rows
    var seen = shown
    return cities.filter { view.cell(of: $0.position) != nil && seen.insert($0.id).inserted }.prefix(most)
      .map { MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true) }
  }
}

/// `citiesctl bank map`: locations of banks, and the cities around them.
struct BankMap {
  /// The ground that the width covers around a single location: a town and the way to it.
  static let usualWidth = 40_000.0
  /// The largest number of locations that are labelled; with more, names of cities are more useful.
  private static let mostNames = 20

  let verb: BankMapVerb
  let context: Context

  private var sender: RequestSender { RequestSender(context: context, connection: verb.connection) }

  /// Draws it to standard output.
  ///
  /// - Returns: ``ExitStatus/nothingFound`` if no location fits.
  func draw() throws -> ExitStatus {
    switch verb.question {
    case .one(let request):
      let reply = try sender.send(request)
      let title = reply.entry.location.title
      return try draw([reply.entry], reply.sources, title, isChosen: true) { try context.writeGeoJSON(reply) }
    case .near(let request):
      let reply = try sender.send(request)
      let origin = MapMark(at: reply.origin, kind: .here, isChosen: true)
      context.note(reply.resolved, for: request.place.query ?? "")
      let title = "Locations near \(reply.resolved?.city.title ?? geoURI(reply.origin))"
      context.noteUnknownHours(reply.unknownHours)
      return try draw(reply.rows, reply.sources, title, from: origin) { try context.writeGeoJSON(reply) }
    case .all(let request):
      let page = try context.allLocations(request, verb.connection)
      context.noteUnknownHours(page.unknownHours)
      return try draw(page.rows, page.sources, title(of: page)) { try context.writeGeoJSON(page) }
    }
  }

  private func title(of page: BankPage) -> String {
    let banks = Set(page.rows.map(\.location.bank)).sorted().joined(separator: ", ")
    return "\(page.total) \(page.total == 1 ? "location" : "locations") of \(banks)"
  }

  private func draw(
    _ entries: [BankEntry], _ sources: Provenance, _ title: String, from origin: MapMark? = nil,
    isChosen: Bool = false, geoJSON: () throws -> Void
  ) throws -> ExitStatus {
    let status = context.noteSources(
      sources, isInAnswer: verb.map.output == .geojson, entries.isEmpty ? .nothingFound : .found)
    guard !entries.isEmpty else {
      if context.diagnostics.isTerminal {
        context.diagnostics.note(
          "empty", "no location matches; 'citiesctl bank regions' lists the regions that have some")
      }
      return status
    }
    let marks = entries.map { entry in
      let label = entries.count <= Self.mostNames ? entry.location.title : ""
      return MapMark(
        at: entry.location.position, kind: .init(entry.location.kind), label: label, isChosen: isChosen)
    }
    // A picture may be passed on without its messages.
    let subject = MapSubject(
      title: title + (sources.sample ? " (sample data, not real)" : ""), marks: marks, origin: origin,
      usualWidth: Self.usualWidth)
    let surroundings = Surroundings(sender: sender, shown: [])
    let drawn = try MapPrinter(options: verb.map, context: context, surroundings: surroundings)
      .write(subject, geoJSON: geoJSON)
    return drawn == .found ? status : drawn
  }
}

extension BankRow {
  var position: Position { Position(lat: lat, lon: lon) }
}
