import Base
internal import CBOR
internal import CitiesMap
internal import CitiesProtocol
internal import Text

extension Painter {
  /// Paints the screen of the cities.
  func paint(_ screen: CityScreen, _ layout: Layout, _ picture: inout Picture) {
    var right = screen.rows.answered == nil ? "" : Strings.count(screen.rows.total)
    if layout.isWide { right += "   " + (screen.rows.query.match == .folded ? Strings.folded : Strings.plain) }
    let isTyping = screen.view == .list && screen.isTyping
    paintFilter(screen.filter, isTyping: isTyping, right: right, layout, &picture)
    switch screen.view {
    case .list: paintList(screen, layout, &picture)
    case .details: paintDetails(screen, layout, &picture)
    case .map:
      guard let view = screen.drawn(layout) else { return }
      paint(view, marks(screen), row: layout.body.lowerBound, column: 0, &picture)
    }
  }

  private func marks(_ screen: CityScreen) -> [MapMark] {
    let chosen = screen.selected.map { MapMark(at: $0.position, kind: .city, label: $0.title, isChosen: true) }
    return (chosen.map { [$0] } ?? []) + marks(of: screen.names, without: screen.selected?.id)
  }

  private func paintList(_ screen: CityScreen, _ layout: Layout, _ picture: inout Picture) {
    if let problem = screen.rows.problem { return paint(problem, layout, &picture) }
    if screen.rows.isCurrent && screen.rows.total == 0 {
      picture.put(Strings.nothingBegins, row: layout.body.lowerBound, column: 2, Style(.faint))
    }
    let answered = screen.rows.answered ?? screen.rows.query
    let query = folder.folded(answered.prefix, answered.foldMode)
    for (place, index) in screen.cursor.seen(count: screen.rows.total, height: layout.cities).enumerated() {
      guard let city = screen.rows[index] else { continue }
      let row = layout.body.lowerBound + place * layout.rowsPerCity
      paint(city, query, answered.foldMode, row, layout, &picture)
      if index == screen.cursor.selected { select(row..<row + layout.rowsPerCity, layout, &picture) }
    }
  }

  private func paint(
    _ city: CityRow, _ query: [UInt8], _ mode: FoldMode, _ row: Int, _ layout: Layout, _ picture: inout Picture
  ) {
    let columns = layout.size.columns
    let coordinates = Degrees.text(lat: city.lat, lon: city.lon)
    let room = layout.isWide ? columns - 4 - Degrees.width : columns - 3
    let painted = picture.put(city.title, row: row, column: 2, width: room)
    if !query.isEmpty, let matched = folder.matchedPrefix(of: city.title, query: query, mode) {
      let end = min(painted, cellWidth(charset.shown(city.title.prefix(matched))))
      picture.restyle(row: row, columns: 2..<2 + end) { $0.role = .match }
    }
    if layout.isWide {
      picture.put(coordinates, row: row, endingAt: columns - 1)
    } else {
      picture.put(coordinates, row: row + 1, column: 4, Style(.faint))
    }
  }

  private func paintDetails(_ screen: CityScreen, _ layout: Layout, _ picture: inout Picture) {
    guard let city = screen.selected else { return }
    var lines: [(String, Style.Role)] = [
      (city.title, .heading), (Degrees.exactText(lat: city.lat, lon: city.lon), .plain),
    ]
    let facts = Strings.facts(city)
    lines += (layout.isWide ? facts : [facts.joined(separator: "  ")]).map { ($0, .plain) }
    if layout.isWide, let neighbours = screen.neighbours.value {
      lines += [("", .plain), (Strings.neighbours, .strong)]
      lines += neighbours.filter { $0.city.id != city.id }
        .map { ("\(Strings.distance($0.distance))  \($0.city.title)", .plain) }
    }
    paint(lines, layout, &picture)
    guard let view = screen.drawn(layout) else { return }
    paint(
      view, marks(screen), row: layout.body.lowerBound + layout.detailsRows, column: layout.detailsColumns, &picture)
  }

  /// Paints what is known of a place, beside its map or above it.
  func paint(_ lines: [(text: String, role: Style.Role)], _ layout: Layout, _ picture: inout Picture) {
    let rows = layout.detailsRows > 0 ? layout.detailsRows : layout.body.count
    let width = (layout.detailsColumns > 0 ? layout.detailsColumns : layout.size.columns) - 3
    let whole = lines.flatMap { line in charset.wrapped(line.text, width: width).map { (text: $0, role: line.role) } }
    for (row, line) in zip(layout.body.prefix(rows), whole) {
      picture.put(line.text, row: row, column: 2, width: width, Style(line.role))
    }
  }
}

extension CityScreen.Query {
  /// How the server folded for this query.
  var foldMode: FoldMode { match == .folded ? .baseLetters : .plain }
}

/// A position for people: `59.437 N   24.754 E`, in columns of a fixed width.
enum Degrees {
  /// Cells that a position takes at most.
  static let width = 21

  /// Three places, some hundred metres: a list is for telling places apart, and digits are most of what a keystroke sends.
  static func text(lat: Double, lon: Double) -> String {
    "\(part(lat, "N", "S", digits: 2))  \(part(lon, "E", "W", digits: 3))"
  }

  /// All digits that are known.
  static func exactText(lat: Double, lon: Double) -> String {
    let (north, east) = (decimalText(lat.magnitude), decimalText(lon.magnitude))
    return "\(north) \(lat < 0 ? "S" : "N")  \(east) \(lon < 0 ? "W" : "E")"
  }

  private static func part(_ degrees: Double, _ positive: String, _ negative: String, digits: Int) -> String {
    let scaled = Int((min(degrees.magnitude, 999) * 1_000).rounded())
    let fraction = String(scaled % 1_000)
    let whole = String(scaled / 1_000)
    let padding = String(repeating: " ", count: max(0, digits - whole.count))
    let zeros = String(repeating: "0", count: 3 - fraction.count)
    return "\(padding)\(whole).\(zeros)\(fraction) \(degrees < 0 && scaled > 0 ? negative : positive)"
  }
}
