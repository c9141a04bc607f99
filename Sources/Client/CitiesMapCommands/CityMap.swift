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
