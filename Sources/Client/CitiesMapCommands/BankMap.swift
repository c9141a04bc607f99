internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl bank map`: locations of banks, and the cities around them.
struct BankMap {
  /// The ground that the width covers around a single location: a town and the way to it.
  private static let usualWidth = 40_000.0
  /// Locations of which each has its name beside it; of more, the cities' names say more.
  private static let mostNames = 20

  let verb: BankMapVerb
  let context: Context

  private var asker: Asker { Asker(context: context, connection: verb.connection) }

  /// Draws it to standard output.
  ///
  /// - Returns: ``ExitStatus/nothingFound`` if no location fits.
  func draw() throws -> ExitStatus {
    switch try verb.question {
    case .one(let request):
      let reply = try asker.ask(request)
      let title = reply.entry.location.title
      return try draw([reply.entry], reply.sources, title, isChosen: true) { try context.writeGeoJSON(reply) }
    case .near(let request):
      let reply = try asker.ask(request)
      let origin = MapMark(at: reply.origin, kind: .here, isChosen: true)
      let title = "Locations near \(request.place.title ?? geoURI(reply.origin))"
      context.tell(unknownHours: reply.unknownHours)
      return try draw(reply.rows, reply.sources, title, from: origin) { try context.writeGeoJSON(reply) }
    case .all(let request):
      let page = try context.allLocations(request, verb.connection)
      context.tell(unknownHours: page.unknownHours)
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
    context.tell(sources, isInAnswer: verb.map.output == .geojson)
    guard !entries.isEmpty else {
      if context.diagnostics.isTerminal {
        context.diagnostics.note("empty", "no location fits; 'citiesctl bank regions' tells where there are some")
      }
      return .nothingFound
    }
    let marks = entries.map { entry in
      let label = entries.count <= Self.mostNames ? entry.location.title : ""
      return MapMark(
        at: entry.location.position, kind: .init(entry.location.kind), label: label, isChosen: isChosen)
    }
    // A picture is passed on without what was said beside it.
    let subject = MapSubject(
      title: title + (sources.sample ? " (made-up sample data)" : ""), marks: marks, origin: origin,
      usualWidth: Self.usualWidth)
    let surroundings = Surroundings(asker: asker, chosen: nil)
    return try MapPrinter(options: verb.map, context: context, surroundings: surroundings)
      .write(subject, geoJSON: geoJSON)
  }
}

extension BankRow {
  /// Where it is.
  var position: Position { Position(lat: lat, lon: lon) }
}
