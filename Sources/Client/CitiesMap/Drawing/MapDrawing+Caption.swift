internal import CitiesProtocol

extension MapDrawing {
  /// What stands below the picture, no wider than it: the scale bar with the coordinates of what the map is about (else
  /// of the middle), and a note where outlines are no longer true.
  package func caption() -> [String] {
    let scale = ScaleBar(view).text(characters)
    let place = marks.first { $0.isChosen }?.position ?? view.centre
    let coordinates = Coordinates.text(place, step: view.latitudePerDot, characters)
    let lines = [joined(scale, coordinates), note].compactMap { $0 }
    return lines.map { line in
      var text = MapText(line, characters)
      text.cut(to: view.size.columns, characters)
      return text.cells.joined()
    }
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

/// A bar of a round length with that length beside it.
struct ScaleBar {
  /// The ground that it covers, in metres.
  let metres: Double
  /// Its length in cells, at least 2 and at most a quarter of the picture's width where that is more.
  let columns: Int

  /// The bar for a view.
  init(_ view: Viewport) {
    let perColumn = 2 * view.metresPerDot
    metres = RoundNumbers.greatest(upTo: perColumn * max(3, Double(view.size.columns) / 4))
    columns = max(2, Int((metres / perColumn).rounded()))
  }

  /// `50 km`, `200 m`.
  var length: String { metres >= 1_000 ? "\(Int(metres / 1_000)) km" : metres >= 1 ? "\(Int(metres)) m" : "1 m" }

  /// The bar and its length.
  func text(_ characters: MapCharacters) -> String {
    switch characters {
    case .braille: "├" + String(repeating: "─", count: columns - 2) + "┤ " + length
    case .ascii: "|" + String(repeating: "-", count: columns - 2) + "| " + length
    }
  }
}
