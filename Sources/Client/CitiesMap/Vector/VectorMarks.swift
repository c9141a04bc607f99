/// The signs of marks, each kind with a shape of its own, and their labels.
struct VectorMarks {
  /// From the middle of a line of text down to its baseline.
  private static let descent = 4.5

  let labelling: Labelling

  /// The marks that `labelling` has placed.
  init(_ labelling: Labelling) { self.labelling = labelling }

  /// The elements, the most important on top of the others.
  var svg: String {
    let signs = labelling.placed.reversed().map { placed in
      let point = labelling.point(of: placed.mark)
      let ring =
        placed.mark.isChosen
        ? "<circle class=\"ring\" cx=\"\(short(point.x))\" cy=\"\(short(point.y))\" r=\"10\"/>" : ""
      let label = placed.mark.label.isEmpty ? "" : "<title>\(xmlText(placed.mark.label))</title>"
      return "<g>\(label)\(ring)\(Self.sign(placed.mark.kind, at: point))</g>\n"
    }
    return signs.joined() + labelling.placed.reversed().map(label).joined()
  }

  /// The shape of a kind around a point.
  static func sign(_ kind: MapMark.Kind, at point: DotPoint) -> String {
    let (x, y) = (point.x, point.y)
    switch kind {
    case .city: return "<circle class=\"city\" cx=\"\(short(x))\" cy=\"\(short(y))\" r=\"4\"/>"
    case .branch: return path("branch", "M\(short(x - 5)) \(short(y - 5))h10v10h-10z")
    case .atm: return path("atm", "M\(short(x)) \(short(y - 6))l6 11h-12z")
    case .bna: return path("bna", "M\(short(x)) \(short(y - 7))l7 7l-7 7l-7 -7z")
    case .here: return path("here", "M\(short(x - 7)) \(short(y - 2))h5v-5h4v5h5v4h-5v5h-4v-5h-5z")
    case .other: return "<circle class=\"other\" cx=\"\(short(x))\" cy=\"\(short(y))\" r=\"5\"/>"
    }
  }

  private static func path(_ name: String, _ data: String) -> String { "<path class=\"\(name)\" d=\"\(data)\"/>" }

  private func label(of placed: PlacedMark) -> String {
    guard let label = placed.label else { return "" }
    let point = labelling.point(of: placed.mark)
    let units = VectorPicture.unitsPerDot
    let (left, top) = (Double(label.box.column) * units, Double(label.box.row) * units)
    let (anchor, x, y): (String, Double, Double) =
      switch label.side {
      case .right: ("start", left, point.y + Self.descent)
      case .left: ("end", left + Double(label.box.columns) * units, point.y + Self.descent)
      case .above, .below:
        (
          "middle", left + Double(label.box.columns) * units / 2,
          top + Double(label.box.rows) * units / 2 + Self.descent
        )
      }
    let name = placed.mark.isChosen ? "label chosen" : "label"
    let text = xmlText(label.text.cells.joined())
    return "<text class=\"\(name)\" text-anchor=\"\(anchor)\" x=\"\(short(x))\" y=\"\(short(y))\">\(text)</text>\n"
  }
}

extension Labelling {
  /// Where a mark lies in a vector picture.
  func point(of mark: MapMark) -> DotPoint {
    let dot = drawing.view.dot(of: mark.position)
    return DotPoint(x: dot.x * VectorPicture.unitsPerDot, y: dot.y * VectorPicture.unitsPerDot)
  }
}
