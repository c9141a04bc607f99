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
    let chosen = try chosenMark()
    let size = MapSize(columns: Int(verb.map.width ?? 80), rows: Int(verb.map.height ?? 24))
    let view = Viewport.around(chosen.position, width: verb.map.zoom ?? Viewport.usualWidth, in: size)
    let drawing = MapDrawing(view: view, marks: [chosen], outlines: try .embedded(), characters: .braille)
    context.output.write((drawing.picture().lines + drawing.caption()).joined(separator: "\n") + "\n")
    return .found
  }

  private func chosenMark() throws -> MapMark {
    guard let place = verb.place, place.at == nil else {
      let position = try verb.place?.at ?? HereFile(environment: context.environment).required()
      return MapMark(at: position, kind: .here, isChosen: true)
    }
    let request = place.id.map { CityGet(id: $0) } ?? CityGet(title: place.title ?? "", near: verb.near)
    let reply = try context.ask(verb.connection) { (client) throws(ClientError) in try client.send(request) }
    let position = Position(lat: reply.city.lat, lon: reply.city.lon)
    return MapMark(at: position, kind: .city, label: reply.city.title, isChosen: true)
  }
}
