internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl map`: one place, and the cities around it.
struct CityMap {
  let verb: MapVerb
  let context: Context

  /// Whether to print the title: the output is a terminal.
  private var showsTitle: Bool { context.output.isTerminal }

  /// Draws it to standard output.
  func draw() throws -> ExitStatus {
    context.noteMetres()
    if let country = verb.country { return try draw(country: country) }
    guard let place = try verb.target, place.at == nil else {
      let position = try verb.target?.at
      return try draw(try position ?? HereFile(environment: context.environment).required())
    }
    let reply: CityGet.Reply
    do {
      reply = try context.city(
        place.acceptingLikely, near: verb.near, takesFirst: verb.takesFirst, isNoted: !showsTitle)
    } catch let failure as CommandFailure {
      guard let query = place.query, failure.query == query else { throw failure }
      if query.lowercased() == Self.world { return try drawWorld() }
      guard let country = failure.country else { return try draw(region: query) ?? { throw failure }() }
      if !showsTitle { context.note("country", "\"\(query)\" is a country") }
      return try draw(country: country)
    }
    let mark = MapMark(at: reply.city.position, kind: .city, label: reply.city.title, isChosen: true)
    let subject = MapSubject(title: reply.city.title, marks: [mark])
    return try printer(without: [reply.city.id]).write(subject) {
      try context.writeGeoJSON(CityListing.of([reply.city], total: 1, generation: reply.generation))
    }
  }

  /// Draws the largest cities of the region that a text names; `nil` if it names none.
  private func draw(region: String) throws -> ExitStatus? {
    let request = CityFind(query: region, limit: CityFind.defaultLimit, finished: true)
    let reply = try context.send(request)
    guard let area = reply.areas?.first, let name = area.region else { return nil }
    if !showsTitle { context.note("region", "\"\(region)\" is \(name), \(area.country)") }
    let marks = reply.rows.map { MapMark(at: $0.city.position, kind: .city, label: $0.city.title) }
    let subject = MapSubject(title: "\(name), \(area.country)", marks: marks)
    return try printer(without: Set(reply.rows.map(\.city.id))).write(subject) {
      try context.writeGeoJSON(
        CityListing.of(reply.rows.map(\.city), total: UInt64(marks.count), generation: reply.generation))
    }
  }

  /// The argument for the world; no city has that name.
  private static let world = "world"

  private func drawWorld() throws -> ExitStatus {
    let page = try context.send(CitySearch(prefix: "", sort: .population, limit: CitySearch.maximumLimit))
    let marks = page.rows.byProminence.map {
      MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true)
    }
    return try printer(without: Set(page.rows.map(\.id)))
      .write(MapSubject(title: "The world", marks: marks, framed: [])) { try context.writeGeoJSON(page) }
  }

  private func draw(country: String) throws -> ExitStatus {
    try CountryMap(context: context).draw(country, verb.map)
  }

  private func draw(_ position: Position) throws -> ExitStatus {
    let subject = MapSubject(title: geoURI(position), marks: [MapMark(at: position, kind: .here, isChosen: true)])
    return try printer(without: []).write(subject) { try context.writeGeoJSON(position) }
  }

  private func printer(without shown: Set<UInt64>) -> MapPrinter {
    MapPrinter(options: verb.map, context: context, shown: shown)
  }
}

/// `citiesctl bank map`: locations of banks, and the cities around them.
extension BankMapVerb {
  /// The default width around a single location, in metres of ground: a town and the way to it.
  static let usualWidth = 40_000.0
  /// The most locations to label; with more, names of cities are more useful.
  private static let mostNames = 20

  /// Draws the map to standard output.
  ///
  /// - Returns: ``ExitStatus/nothingFound`` if no location fits.
  func draw(in context: Context) throws -> ExitStatus {
    context.noteMetres()
    switch question {
    case .one(let request):
      let reply = try context.send(request)
      let title = reply.entry.location.title
      return try draw([reply.entry], reply.sources, title, isChosen: true, in: context) {
        try context.writeGeoJSON(BankListing.of(reply))
      }
    case .near(let request):
      let reply = try context.send(request)
      let origin = MapMark(at: reply.origin, kind: .here, isChosen: true)
      context.note(reply.resolved, for: request.place.query ?? "")
      let title = "Locations near \(reply.resolved?.city.title ?? geoURI(reply.origin))"
      context.noteUnknownHours(reply.unknownHours)
      return try draw(reply.rows, reply.sources, title, from: origin, in: context) {
        try context.writeGeoJSON(BankListing.of(reply))
      }
    case .all(let request):
      let page = try context.pages(request)
      context.noteUnknownHours(page.unknownHours)
      return try draw(page.rows, page.sources, title(of: page), in: context) {
        try context.writeGeoJSON(BankListing.of(page, isUnderHeadings: false))
      }
    }
  }

  private func title(of page: BankPage) -> String {
    let banks = page.rows.map(\.location.bank).distinct.joined(separator: ", ")
    return "\(page.total) \(page.total == 1 ? "location" : "locations") of \(banks)"
  }

  private func draw(
    _ entries: [BankEntry], _ sources: Provenance, _ title: String, from origin: MapMark? = nil,
    isChosen: Bool = false, in context: Context, geoJSON: () throws -> Void
  ) throws -> ExitStatus {
    context.noteSources(sources, map.output == .geojson ? .geojson : .tsv)
    let status = sources.status(entries.isEmpty ? .nothingFound : .found)
    guard !entries.isEmpty else {
      context.diagnostics.noteEmpty("no location matches; 'citiesctl bank regions' lists the regions that have some")
      return status
    }
    let marks = entries.map { entry in
      let label = entries.count <= Self.mostNames || context.isPlain ? entry.location.title : ""
      return MapMark(
        at: entry.location.position, kind: .init(entry.location.kind), label: label, isChosen: isChosen)
    }
    // A picture may be shared without its messages.
    let subject = MapSubject(
      title: title + (sources.sample ? " (sample data, not real)" : ""), marks: marks, origin: origin,
      here: origin == nil ? try? HereFile(environment: context.environment).read() : nil, usualWidth: Self.usualWidth)
    let drawn = try MapPrinter(options: map, context: context)
      .write(subject, geoJSON: geoJSON)
    return drawn == .found ? status : drawn
  }
}
