/// A map as a vector picture: SVG 1.1 with an embedded style sheet, light or dark like the viewer.
///
///     let svg = VectorPicture(drawing, title: "Tallinn, EE").svg
///
/// It shows the ground and the labels of the drawing's cells, of 10 by 20 units each. It loads no resources and has no
/// scripts, and every text is escaped.
package struct VectorPicture {
  /// Units of the picture for a dot of the drawing.
  static let unitsPerDot = 5.0
  private static let headHeight = 36.0
  private static let rowHeight = 22.0
  private static let margin = 12.0

  let drawing: MapDrawing
  let title: String
  let labelling: Labelling
  let (width, height): (Double, Double)
  private let legend: VectorLegend
  private let areas: Outlines
  private let country: String?

  /// Lays a drawing out; the land of `country`, a code, is set apart.
  package init(_ drawing: MapDrawing, title: String, country: String? = nil, areas: Outlines = .areas()) {
    // A file is not limited by a terminal's characters.
    var drawing = drawing
    drawing.characters = .unicode
    (self.drawing, self.title, self.country, self.areas) = (drawing, title, country, areas)
    labelling = Labelling(drawing, .dots)
    width = Double(drawing.view.size.dotColumns) * Self.unitsPerDot
    height = Double(drawing.view.size.dotRows) * Self.unitsPerDot
    legend = VectorLegend(drawing, kinds: labelling.placed.map(\.mark.kind), width: width - 2 * Self.margin)
  }

  /// The picture, an XML document in UTF-8.
  package var svg: String {
    let rows = 1 + legend.rows.count + (drawing.note == nil ? 0 : 1)
    let total = Self.headHeight + height + Double(rows) * Self.rowHeight + Self.margin
    let box = "0 0 \(short(width)) \(short(total))"
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(short(width))" height="\(short(total))" viewBox="\(box)" role="img">
      <title>\(xmlText(title))</title>
      <style>\(vectorStyle)</style>
      <rect class="paper" width="\(short(width))" height="\(short(total))"/>
      <text class="head" x="\(short(Self.margin))" y="24">\(xmlText(title))</text>
      <svg x="0" y="\(short(Self.headHeight))" width="\(short(width))" height="\(short(height))">
      \(ground)\(labelling.svg)</svg>
      <path class="frame" d="M0 \(short(Self.headHeight))h\(short(width))M0 \(short(Self.headHeight + height))h\(short(width))"/>
      \(foot(from: Self.headHeight + height))</svg>

      """
  }

  private var ground: String {
    let view = drawing.view
    // A pixel is a fifth of a dot, so that only the finest outlines are accurate enough.
    guard drawing.note == nil, let lines = drawing.outlines.scales.last, let parts = areas.scales.last else {
      return Grid(view).svg
    }
    let own = country.map(Outlines.Kind.country)
    let (left, right) = (short(view.box.left * Self.unitsPerDot), short(view.box.right * Self.unitsPerDot))
    let sea = "<path class=\"sea\" d=\"M\(left) 0H\(right)V\(short(height))H\(left)z\"/>\n"
    let land = path("land", view.areas(in: parts) { $0 != .lake })
    return sea + land + path("own", view.areas(in: parts) { $0 == own })
      + path("lake", view.areas(in: parts) { $0 == .lake }) + path("border", view.paths(of: .border, in: lines))
      + path("coast", view.paths(of: .coast, in: lines))
  }

  private func path(_ name: String, _ lines: [[DotPoint]]) -> String {
    lines.isEmpty ? "" : "<path class=\"\(name)\" d=\"\(lines.map(pathData).joined())\"/>\n"
  }

  /// A polyline as path data.
  private func pathData(_ points: [DotPoint]) -> String {
    var data = ""
    for (index, point) in points.enumerated() {
      let (x, y) = (fixed(point.x * Self.unitsPerDot, decimals: 1), fixed(point.y * Self.unitsPerDot, decimals: 1))
      data += "\(index == 0 ? "M" : index == 1 ? "L" : " ")\(x) \(y)"
    }
    return data
  }

  /// The scale bar, coordinates, legend and notes.
  private func foot(from top: Double) -> String {
    let bar = ScaleBar(drawing.view)
    let (left, length) = (Self.margin, bar.dots * Self.unitsPerDot)
    let baseline = top + Self.rowHeight - 4
    var text = """
      <path class="scale" d="M\(short(left)) \(short(baseline - 8))v8h\(short(length))v-8"/>
      <text x="\(short(left + length + 8))" y="\(short(baseline))">\(bar.length)</text>
      <text class="end" x="\(short(width - left))" y="\(short(baseline))">\(xmlText(drawing.coordinates))</text>

      """
    text += legend.svg(left: left, firstBaseline: baseline + Self.rowHeight, rowHeight: Self.rowHeight)
    guard let note = drawing.note else { return text }
    let last = baseline + Double(legend.rows.count + 1) * Self.rowHeight
    return text + "<text class=\"note\" x=\"\(short(left))\" y=\"\(short(last))\">\(xmlText(note))</text>\n"
  }
}

/// The style sheet of vector pictures.
///
/// Kinds of marks differ in shape; colours only help. Marks and texts have a contrast of at least 4.5 to their
/// background.
let vectorStyle = """

  svg { color-scheme: light dark; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
  text { fill: #1f2328 } .head { font-size: 17px; font-weight: 600 } .end { text-anchor: end }
  .paper { fill: #ffffff } .frame { fill: none; stroke: #afb8c1 } .scale { fill: none; stroke: #1f2328; stroke-width: 1.5 }
  .sea { fill: #dcebf5 } .land { fill: #e9e6dc } .own { fill: #fffdf3 }
  .lake { fill: #dcebf5; stroke: #0a6fa8; stroke-width: 0.6 }
  .coast { fill: none; stroke: #0a6fa8; stroke-width: 1; stroke-linejoin: round }
  .border { fill: none; stroke: #77706a; stroke-width: 1; stroke-dasharray: 4 3 }
  .grid { fill: none; stroke: #c3c9cf; stroke-width: 1; stroke-dasharray: 2 4 } .degrees, .note { fill: #59636e }
  .halo { fill: none; stroke: #fbfaf6; stroke-width: 3px; stroke-linejoin: round } .chosen { font-weight: 600 }
  .ring { fill: none; stroke: #1f2328; stroke-width: 1.5 } .city { fill: #1f2328 }
  .branch { fill: #b3400a } .atm { fill: #1d4ed8 } .bna { fill: #047857 } .here { fill: #b31d28 }
  .other { fill: none; stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .paper { fill: #0d1117 } .frame { stroke: #3d444d } .scale { stroke: #e6edf3 }
    .sea, .lake { fill: #10202f } .land { fill: #1f252c } .own { fill: #343b44 }
    .coast, .lake { stroke: #58b0e3 } .border { stroke: #9a938b } .grid { stroke: #3d444d } .degrees, .note { fill: #9198a1 }
    .halo { stroke: #161b22 } .ring { stroke: #e6edf3 } .city { fill: #e6edf3 } .branch { fill: #f0883e }
    .atm { fill: #79a6ff } .bna { fill: #3fb68b } .here { fill: #ff7b72 } .other { stroke: #e6edf3 }
  }

  """

/// The plain grid of a vector picture, with its coordinates at the left and lower edge.
extension Grid {
  var svg: String {
    let box = view.box
    let units = VectorPicture.unitsPerDot
    let (left, right) = (short(box.left * units), short(box.right * units))
    var (data, labels) = ("", "")
    for lat in parallels {
      let y = view.dot(lat: lat, east: 0).y * units
      data += "M\(left) \(short(y))H\(right)"
      labels += Self.label(Coordinates.latitude(lat, step: latitudeStep, .unicode), "start", 6, y - 4)
    }
    for meridian in meridians {
      let x = view.dot(lat: 0, east: meridian.east).x * units
      data += "M\(short(x)) 0V\(short(box.bottom * units))"
      let text = Coordinates.longitude(meridian.lon, step: longitudeStep, .unicode)
      // The corner is for the parallels' labels, and a label is about 60 wide.
      if x > 100, x + 60 < box.right * units { labels += Self.label(text, "start", x + 4, box.bottom * units - 6) }
    }
    return "<path class=\"grid\" d=\"\(data)\"/>\n\(labels)"
  }

  private static func label(_ text: String, _ anchor: String, _ x: Double, _ y: Double) -> String {
    "<text class=\"degrees\" text-anchor=\"\(anchor)\" x=\"\(short(x))\" y=\"\(short(y))\">\(xmlText(text))</text>\n"
  }
}

/// The legend of a vector picture: the meaning of its signs and lines, and the origin of its outlines.
struct VectorLegend {
  /// An entry: the elements of its sample, drawn around (8, −5) from its left end, and its text.
  struct Entry {
    var sample: String
    var words: String

    /// The estimated width in the picture's font.
    var width: Double { 24 + 7 * Double(words.count) + 18 }
  }

  /// The entries, laid out in rows no wider than the picture.
  let rows: [[Entry]]

  /// The legend of a drawing for the kinds of marks that it shows.
  init(_ drawing: MapDrawing, kinds: [MapMark.Kind], width: Double) {
    var entries = MapMark.Kind.allCases.filter(kinds.contains).map { kind in
      Entry(sample: Labelling.sign(kind, at: DotPoint(x: 8, y: -5)), words: kind.meaning)
    }
    if drawing.note == nil {
      entries.append(Entry(sample: "<path class=\"coast\" d=\"M0 -5h16\"/>", words: "coast (Natural Earth)"))
      entries.append(Entry(sample: "<path class=\"border\" d=\"M0 -5h16\"/>", words: "border"))
    }
    var rows: [[Entry]] = []
    var room = 0.0
    for entry in entries {
      if entry.width > room {
        rows.append([])
        room = width
      }
      rows[rows.count - 1].append(entry)
      room -= entry.width
    }
    self.rows = rows
  }

  func svg(left: Double, firstBaseline: Double, rowHeight: Double) -> String {
    var text = ""
    for (index, row) in rows.enumerated() {
      var x = left
      for entry in row {
        let y = firstBaseline + Double(index) * rowHeight
        text += "<g transform=\"translate(\(short(x)) \(short(y)))\">\(entry.sample)"
        text += "<text x=\"24\" y=\"0\">\(xmlText(entry.words))</text></g>\n"
        x += entry.width
      }
    }
    return text
  }
}

/// The signs of marks, each kind with its own shape, and their labels.
extension Labelling {
  /// The distance from the middle of a line of text down to its baseline.
  private static let descent = 4.5

  /// The elements, the most important on top.
  var svg: String {
    let signs = placed.reversed().map { placed in
      let point = point(of: placed.mark)
      let ring =
        placed.mark.isChosen
        ? "<circle class=\"ring\" cx=\"\(short(point.x))\" cy=\"\(short(point.y))\" r=\"10\"/>" : ""
      let label = placed.mark.label.isEmpty ? "" : "<title>\(xmlText(placed.mark.label))</title>"
      return "<g>\(label)\(ring)\(Self.sign(placed.mark.kind, at: point))</g>\n"
    }
    return signs.joined()
      + [true, false].flatMap { isHalo in placed.reversed().map { label(of: $0, isHalo) } }.joined()
  }

  /// The shape of a kind around a point.
  static func sign(_ kind: MapMark.Kind, at point: DotPoint) -> String {
    let (x, y) = (point.x, point.y)
    switch kind {
    case .capital:
      return path("city", "M\(short(x)) \(short(y - 7))l2 5h5l-4 3 1.5 5-4.5 -3-4.5 3 1.5 -5-4 -3h5z")
    case .metropolis: return circle("city", x, y, radius: 5)
    case .city: return circle("city", x, y, radius: 4)
    case .town: return circle("city", x, y, radius: 2.5)
    case .branch: return path("branch", "M\(short(x - 5)) \(short(y - 5))h10v10h-10z")
    case .atm: return path("atm", "M\(short(x)) \(short(y - 6))l6 11h-12z")
    case .bna: return path("bna", "M\(short(x)) \(short(y - 7))l7 7l-7 7l-7 -7z")
    case .here: return path("here", "M\(short(x - 7)) \(short(y - 2))h5v-5h4v5h5v4h-5v5h-4v-5h-5z")
    case .other: return circle("other", x, y, radius: 5)
    }
  }

  private static func circle(_ name: String, _ x: Double, _ y: Double, radius: Double) -> String {
    "<circle class=\"\(name)\" cx=\"\(short(x))\" cy=\"\(short(y))\" r=\"\(short(radius))\"/>"
  }

  private static func path(_ name: String, _ data: String) -> String { "<path class=\"\(name)\" d=\"\(data)\"/>" }

  /// A label, or its halo, which separates it from what is below: an element of its own, because not all viewers know
  /// `paint-order`.
  private func label(of placed: PlacedMark, _ isHalo: Bool) -> String {
    guard let label = placed.label else { return "" }
    let point = point(of: placed.mark)
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
    let name = (isHalo ? "halo" : "label") + (placed.mark.isChosen ? " chosen" : "")
    let text = xmlText(label.text.cells.joined())
    return
      "<text class=\"\(name)\"\(isHalo ? " aria-hidden=\"true\"" : "") text-anchor=\"\(anchor)\" x=\"\(short(x))\" y=\"\(short(y))\">\(text)</text>\n"
  }

  /// The position of a mark in a vector picture.
  func point(of mark: MapMark) -> DotPoint {
    let dot = drawing.view.dot(of: mark.position)
    return DotPoint(x: dot.x * VectorPicture.unitsPerDot, y: dot.y * VectorPicture.unitsPerDot)
  }
}

/// `text` as XML's character data or attribute value (XML 1.0 §2.4): markup is escaped, and characters that XML does
/// not allow become U+FFFD.
///
/// Drops C1 controls and DEL, which XML allows but discourages, invisible characters, and those that change the text
/// direction (Unicode Standard Annex 9): a name must not change how the rest of the picture reads.
///
/// - Complexity: O(n).
func xmlText(_ text: String) -> String {
  withoutInvisible(text).unicodeScalars.map { scalar in
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "\t", "\n", "\r", "\u{2028}", "\u{2029}": " "
    case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: "\u{FFFD}"
    case _ where scalar.actsOnTerminal: ""
    default: String(scalar)
    }
  }.joined()
}
