internal import CitiesProtocol

/// A map as a vector picture: SVG 1.1 with a style sheet of its own, light or dark as the viewer is.
///
///     let svg = VectorPicture(drawing, title: "Tallinn, EE").svg
///
/// It has the ground and the labels of the drawing's cells, each of which is 10 by 20 units large. Nothing is loaded from
/// anywhere, no script is in it, and every text is escaped.
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

  /// Lays a drawing out.
  package init(_ drawing: MapDrawing, title: String) {
    // A file has no terminal that might not know a character.
    var drawing = drawing
    drawing.characters = .braille
    (self.drawing, self.title) = (drawing, title)
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
      \(ground)\(VectorMarks(labelling).svg)</svg>
      <path class="frame" d="M0 \(short(Self.headHeight))h\(short(width))M0 \(short(Self.headHeight + height))h\(short(width))"/>
      \(foot(from: Self.headHeight + height))</svg>

      """
  }

  /// Outlines or the grid.
  private var ground: String {
    guard let scale = drawing.outlines.scale(forMetresPerDot: drawing.view.metresPerDot) else {
      return VectorGrid(drawing.view).svg
    }
    let paths = OutlinePaths(view: drawing.view, scale: scale, unitsPerDegree: drawing.outlines.unitsPerDegree)
    return [Outlines.Kind.border, .coast].map { kind in
      let data = paths.paths(of: kind).map(pathData).joined()
      return data.isEmpty ? "" : "<path class=\"\(kind == .coast ? "coast" : "border")\" d=\"\(data)\"/>\n"
    }.joined()
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

  /// Scale bar and coordinates, the legend, and what there is to note.
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
