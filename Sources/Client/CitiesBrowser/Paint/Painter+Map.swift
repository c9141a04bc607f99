internal import CitiesMap
internal import CitiesProtocol

/// A map as it was drawn, and from what.
struct DrawnMap {
  let view: Viewport
  let marks: [MapMark]
  let picture: MapPicture
  let caption: String
}

extension Painter {
  /// Paints a map with its caption beneath, from a cell on.
  func paint(_ view: Viewport, _ marks: [MapMark], row: Int, column: Int, _ picture: inout Picture) {
    guard let map = drawn(view, marks) else { return }
    for line in 0..<map.picture.size.rows {
      for (place, cell) in map.picture.row(line).enumerated() where cell != .blank && !cell.text.isEmpty {
        picture.put(cell.text, row: row + line, column: column + place, Style(cell.layer.role))
      }
    }
    picture.put(
      map.caption, row: row + map.picture.size.rows, column: column, width: view.size.columns, Style(.faint))
  }

  private func drawn(_ view: Viewport, _ marks: [MapMark]) -> DrawnMap? {
    if let lastMap, lastMap.view == view, lastMap.marks == marks { return lastMap }
    guard let outlines else { return nil }
    let drawing = MapDrawing(
      view: view, marks: marks, outlines: outlines, characters: charset == .unicode ? .braille : .ascii)
    let caption = Self.caption(drawing, columns: view.size.columns)
    let map = DrawnMap(view: view, marks: marks, picture: drawing.picture(), caption: caption)
    lastMap = map
    return map
  }

  /// The scale bar and the coordinates; between them, or where there is no room for both in place of the coordinates, that
  /// outlines cannot be drawn so closely.
  private static func caption(_ drawing: MapDrawing, columns: Int) -> String {
    let caption = drawing.caption().first ?? ""
    guard drawing.note != nil else { return caption }
    // The parts are at the ends, at least two spaces apart; within them single spaces are all there are.
    let bar = caption.split(separator: "  ", maxSplits: 1).first ?? ""
    let noted = "\(bar)  \(Strings.plainGrid)"
    let coordinates = caption.dropFirst(bar.count).drop { $0 == " " }
    let blanks = columns - noted.count - coordinates.count
    return blanks < 2 ? noted : noted + String(repeating: " ", count: blanks) + coordinates
  }

  /// The marks of cities that are named around something.
  func marks(of names: MapNames, without chosen: UInt64?) -> [MapMark] {
    names.cities.filter { $0.id != chosen }
      .map { MapMark(at: $0.position, kind: .city, label: $0.name, needsLabel: true) }
  }
}

extension MapPicture.Layer {
  /// The style of a layer on the screen.
  fileprivate var role: Style.Role {
    switch self {
    case .grid, .border: .faint
    case .coast: .coast
    case .mark, .label: .plain
    case .chosenMark, .chosenLabel: .mark
    case .ground, .text: .plain
    }
  }
}
