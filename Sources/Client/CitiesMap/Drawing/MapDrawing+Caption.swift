internal import CitiesProtocol

extension MapDrawing {
  /// What stands below the picture, no wider than it: the scale bar with the coordinates of what the map is about (else
  /// of the middle), what the signs mean where there are others than cities', and a note where outlines are no longer true.
  package func caption() -> [String] {
    let scale = ScaleBar(view).text(characters)
    let lines = [joined(scale, coordinates), legend, note].compactMap { $0 }
    return lines.map { line in
      var text = MapText(line, characters)
      text.cut(to: view.size.columns, characters)
      return text.cells.joined()
    }
  }

  /// The kinds of marks that the view shows.
  var kinds: [MapMark.Kind] {
    let shown = marks.filter { view.cell(of: $0.position) != nil }.map(\.kind)
    return MapMark.Kind.allCases.filter(shown.contains)
  }

  private var legend: String? {
    guard kinds.contains(where: { $0 != .city && $0 != .here }) else { return nil }
    return kinds.map { "\($0.sign(characters)) \($0.meaning)" }.joined(separator: "  ")
  }

  /// The coordinates of what the map is about, else of its middle, as exactly as dots are.
  var coordinates: String {
    let place = marks.first { $0.isChosen }?.position ?? view.centre
    return Coordinates.text(place, step: view.latitudePerDot, characters)
  }

  /// What the picture cannot show, or `nil` if there is nothing to say.
  package var note: String? {
    guard view.metresPerDot < Outlines.finestMetresPerDot else { return nil }
    return "a plain grid: coasts and borders are not known so closely"
  }

  /// Both at the ends of a line, or the first alone where there is no room.
  private func joined(_ left: String, _ right: String) -> String {
    let blanks = view.size.columns - left.count - right.count
    return blanks < 2 ? left : left + String(repeating: " ", count: blanks) + right
  }
}
