internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// A drawn map with its inputs, for reuse.
struct DrawnMap {
  let view: Viewport
  let marks: [MapMark]
  let names: [CityRow]
  /// The moment of its day and night, if it shows them.
  let moment: Int64?
  let picture: MapPicture
  let caption: String
}

extension Painter {
  /// Paints a map with its caption below, from a cell on: marks, names of cities as far as there is room, and, on a
  /// world map, day and night at `moment`.
  func paint(_ view: Viewport, _ marks: [MapMark], _ names: MapNames, at moment: Int64?, row: Int, column: Int) {
    let map = drawn(view, marks, names.value ?? [], at: view.showsWorld ? moment : nil)
    for line in 0..<map.picture.size.rows {
      for (place, cell) in map.picture.row(line).enumerated() where cell != .blank && !cell.text.isEmpty {
        picture.put(cell.text, row: row + line, column: column + place, Style(cell.layer.role))
      }
    }
    picture.put(
      map.caption, row: row + map.picture.size.rows, column: column, width: view.size.columns, Style(.faint))
  }

  private func drawn(_ view: Viewport, _ marks: [MapMark], _ names: [CityRow], at moment: Int64?) -> DrawnMap {
    // `names` is usually the same array, so that the comparison is immediate.
    if let lastMap, lastMap.view == view, lastMap.marks == marks, lastMap.names == names, lastMap.moment == moment {
      return lastMap
    }
    // A city that is marked has its name already.
    let marked = marks.filter { $0.kind == .city }.map(\.position)
    let named = names.filter { !marked.contains($0.position) }
      .map { MapMark(at: $0.position, kind: .init($0), label: translations?[$0.id] ?? $0.name, needsLabel: true) }
    let drawing = MapDrawing(
      view: view, marks: marks + named, outlines: outlines, characters: charset, at: moment)
    let caption = Self.caption(drawing, columns: view.size.columns)
    let map = DrawnMap(
      view: view, marks: marks, names: names, moment: moment, picture: drawing.picture(), caption: caption)
    lastMap = map
    return map
  }

  /// The scale bar and the coordinates; if the view is too close for outlines, with a note between them, or instead of
  /// the coordinates if there is no room for all.
  private static func caption(_ drawing: MapDrawing, columns: Int) -> String {
    let caption = drawing.caption().first ?? ""
    guard drawing.note != nil else { return caption }
    // The parts are at the ends, at least two spaces apart, and have only single spaces within.
    let bar = caption.split(separator: "  ", maxSplits: 1).first ?? ""
    let noted = "\(bar)  \(Strings.plainGrid)"
    let coordinates = caption.dropFirst(bar.count).drop { $0.is(" ") }
    let blanks = columns - noted.count - coordinates.count
    return blanks < 2 ? noted : noted + String(repeating: " ", count: blanks) + coordinates
  }
}

extension MapPicture.Layer {
  /// The style of a layer on the screen.
  fileprivate var role: Style.Role {
    switch self {
    case .grid, .border: .faint
    case .land: .land
    case .brightLand: .brightLand
    case .coast: .coast
    case .mark(.capital): .strong
    case .mark, .label: .plain
    case .chosenMark, .chosenLabel: .mark
    case .ground, .text: .plain
    }
  }
}
