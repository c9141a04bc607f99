internal import CitiesProtocol

/// The plain grid of a vector picture, with its coordinates at the left and lower edge.
struct VectorGrid {
  let view: Viewport

  /// The grid for a view.
  init(_ view: Viewport) { self.view = view }

  /// The elements.
  var svg: String {
    let grid = Grid(view)
    let box = view.box
    let units = VectorPicture.unitsPerDot
    let (left, right) = (short(box.left * units), short(box.right * units))
    var (data, labels) = ("", "")
    for lat in grid.parallels {
      let y = view.dot(lat: lat, east: 0).y * units
      data += "M\(left) \(short(y))H\(right)"
      labels += Self.label(Coordinates.latitude(lat, step: grid.latitudeStep, .braille), "start", 6, y - 4)
    }
    for meridian in grid.meridians {
      let x = view.dot(lat: 0, east: meridian.east).x * units
      data += "M\(short(x)) 0V\(short(box.bottom * units))"
      let text = Coordinates.longitude(meridian.lon, step: grid.longitudeStep, .braille)
      // The corner is the parallels', and a label is about 60 wide.
      if x > 100, x + 60 < box.right * units { labels += Self.label(text, "start", x + 4, box.bottom * units - 6) }
    }
    return "<path class=\"grid\" d=\"\(data)\"/>\n\(labels)"
  }

  private static func label(_ text: String, _ anchor: String, _ x: Double, _ y: Double) -> String {
    "<text class=\"degrees\" text-anchor=\"\(anchor)\" x=\"\(short(x))\" y=\"\(short(y))\">\(xmlText(text))</text>\n"
  }
}
