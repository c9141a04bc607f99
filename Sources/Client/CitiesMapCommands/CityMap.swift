internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl map`: one place, and the cities around it.
struct CityMap {
  let verb: MapVerb
  let context: Context

  private var asker: Asker { Asker(context: context, connection: verb.connection) }

  /// Draws it to standard output.
  func draw() throws -> ExitStatus {
    guard let place = try verb.target, place.at == nil else {
      let position = try verb.target?.at
      return try draw(try position ?? HereFile(environment: context.environment).required())
    }
    let near = try verb.near
    let request = place.id.map { CityGet(id: $0) } ?? CityGet(title: place.title ?? "", near: near)
    let reply = try asker.ask(request)
    let mark = MapMark(at: reply.city.position, kind: .city, label: reply.city.title, isChosen: true)
    let subject = MapSubject(title: reply.city.title, marks: [mark])
    return try printer(without: reply.city.id).write(subject) { try context.writeGeoJSON(reply) }
  }

  private func draw(_ position: Position) throws -> ExitStatus {
    let subject = MapSubject(title: geoURI(position), marks: [MapMark(at: position, kind: .here, isChosen: true)])
    return try printer(without: nil).write(subject) { try context.writeGeoJSON(position) }
  }

  private func printer(without chosen: UInt64?) -> MapPrinter {
    MapPrinter(options: verb.map, context: context, surroundings: Surroundings(asker: asker, chosen: chosen))
  }
}

extension CityRow {
  /// Where it is.
  var position: Position { Position(lat: lat, lon: lon) }
}

/// The cities whose names make a map readable.
struct Surroundings {
  let asker: Asker
  /// A city that the map shows anyhow.
  let chosen: UInt64?

  /// Cities in the picture, the largest first and of those without known inhabitants the nearest; each is shown only
  /// where there is room for its name.
  ///
  /// The nearest to the middle are asked for. Where they do not reach to the picture's edges, the world's largest are
  /// the ones that are missed.
  func names(on view: Viewport) throws -> [MapMark] {
    let near = CityNear(place: Place(at: view.centre), limit: CityNear.maximumLimit, radius: view.reach)
    var cities = try asker.ask(near).rows.map(\.city)
    if cities.count >= CityNear.maximumLimit {
      let largest = CitySearch(prefix: "", sort: .population, limit: CitySearch.maximumLimit)
      cities += try asker.ask(largest).rows.filter { $0.population != nil }
    }
    var seen: Set<UInt64> = chosen.map { [$0] } ?? []
    return cities.filter { view.cell(of: $0.position) != nil && seen.insert($0.id).inserted }
      .enumerated()
      .sorted { ($1.element.population ?? 0, $0.offset) < ($0.element.population ?? 0, $1.offset) }
      .map { MapMark(at: $0.element.position, kind: .city, label: $0.element.name, needsLabel: true) }
  }
}
