internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// Writes a map in the format that was asked for: the one switch over all of them.
struct MapPrinter {
  let options: MapOptions
  let context: Context
  /// Whose names stand on the map; asked for only where they are drawn.
  let surroundings: Surroundings

  /// Writes `subject`; `geoJSON` writes its places with all that is known of them.
  ///
  /// - Returns: that something was found.
  /// - Throws: what `geoJSON` throws, and `ClientError`.
  func write(_ subject: MapSubject, geoJSON: () throws -> Void) throws -> ExitStatus {
    switch options.output {
    case .text:
      let drawing = try drawing(of: subject, in: textSize, MapCharacters(environment: context.environment))
      let colour = options.color.applies(toTerminal: context.output.isTerminal, environment: context.environment)
      context.output.write(TerminalText(isEmphasized: colour).text(of: drawing))
    case .svg:
      let drawing = try drawing(of: subject, in: size(columns: 80, rows: 30), .braille)
      context.output.write(VectorPicture(drawing, title: subject.title).svg)
    case .geojson:
      try geoJSON()
    case .geo:
      for mark in subject.marks { context.output.write(geoURI(mark.position) + "\n") }
    }
    return .found
  }

  private func drawing(
    of subject: MapSubject, in size: MapSize, _ characters: MapCharacters
  ) throws -> MapDrawing {
    var view = Viewport.fitting(subject.shown.map(\.position), single: subject.usualWidth, in: size)
    if let width = options.zoom { view = .around(view.centre, width: width, in: size) }
    return MapDrawing(
      view: view, marks: subject.shown + (try surroundings.names(on: view)), outlines: try .embedded(),
      characters: characters)
  }

  /// The terminal's size with room for the caption and the prompt; 80 by 24 elsewhere.
  private var textSize: MapSize {
    let terminal = TerminalSize(descriptor: context.output.descriptor)
    let columns = options.width ?? terminal?.columns ?? 80
    // As wide as high on the ground would be half as many rows; a little flatter shows more of what is around.
    let rows = min(columns * 3 / 10, (terminal?.rows ?? .max) - 4)
    return size(columns: columns, rows: max(4, rows))
  }

  private func size(columns: Int, rows: Int) -> MapSize {
    MapSize(columns: options.width ?? columns, rows: options.height ?? rows)
  }
}
