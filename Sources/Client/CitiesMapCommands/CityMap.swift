internal import CitiesClient
internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl map`: one place, and the cities around it.
struct CityMap {
  let verb: MapVerb
  let context: Context

  /// Draws it to standard output.
  func draw() throws -> ExitStatus {
    let printer = MapPrinter(options: verb.map, context: context)
    guard let place = verb.place, place.at == nil else {
      let position = try verb.place?.at ?? HereFile(environment: context.environment).required()
      let subject = MapSubject(title: geoURI(position), marks: [MapMark(at: position, kind: .here, isChosen: true)])
      return try printer.write(subject, names: names) { try context.writeGeoJSON(positions: [position]) }
    }
    let reply = try ask(place.id.map { CityGet(id: $0) } ?? CityGet(title: place.title ?? "", near: verb.near))
    let city = reply.city
    let mark = MapMark(at: city.position, kind: .city, label: city.title, isChosen: true)
    let subject = MapSubject(title: city.title, marks: [mark])
    return try printer.write(subject, names: { try names(on: $0, without: city.id) }) {
      try context.writeGeoJSON(cities: [city], generation: reply.generation)
    }
  }

  private func names(on view: Viewport) throws -> [MapMark] { try names(on: view, without: nil) }

  private func names(on view: Viewport, without chosen: UInt64?) throws -> [MapMark] {
    try Surroundings(view: view).names(without: chosen) {
      try ask($0)
    } largest: {
      try ask($0)
    }
  }

  private func ask<Message: RequestMessage>(_ message: Message) throws -> Message.Reply {
    try context.ask(verb.connection) { (client) throws(ClientError) in try client.send(message) }
  }
}

extension CityRow {
  /// Where it is.
  var position: Position { Position(lat: lat, lon: lon) }
}
