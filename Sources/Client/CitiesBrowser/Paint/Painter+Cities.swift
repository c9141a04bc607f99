internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Text

extension Painter {
  /// Paints the screen of the cities.
  func paint(_ screen: CityScreen) {
    var right = screen.rows.answered == nil ? "" : Strings.count(screen)
    if layout.isWide {
      if screen.rows.query.order == .population { right += "   " + Strings.byPopulation }
      if screen.part != .all { right += "   \(screen.part.rawValue) only" }
      if screen.rows.query.match == .plain { right += "   " + Strings.plain }
    }
    if let marked = screen.marked, !marked.isEmpty { right = Strings.marked(marked.count) + "   " + right }
    let isTyping = screen.view == .list && screen.isTyping
    paintFilter(screen.filter, isTyping: isTyping, right: right)
    switch screen.view {
    case .list:
      paintList(screen)
      if layout.hasPreview { paintPreview(screen) }
    case .details: paintDetails(screen)
    case .map:
      guard let view = screen.drawn(layout) else { return }
      let mark = mark(of: screen.selected)
      paint(view, mark, screen.names, at: now, row: layout.body.lowerBound, column: 0)
    }
  }

  /// The mark of the map's city.
  private func mark(of city: CityRow?) -> [MapMark] {
    city.map { [MapMark(at: $0.position, kind: .city, label: $0.title, isChosen: true)] } ?? []
  }

  // MARK: - The list

  private func paintList(_ screen: CityScreen) {
    if let problem = screen.rows.problem { return paint(problem) }
    let answered = screen.rows.answered ?? screen.rows.query
    let lines = screen.lines
    let columns = CityColumns(layout.listColumns)
    let query = folder.folded(answered.prefix, answered.foldMode)
    for (row, index) in zip(layout.body, screen.cursor.seen(count: lines.count, height: layout.body.count)) {
      let line = lines[index]
      if case .heading(let heading)? = line {
        let style = Style(heading == .nothing ? .faint : .heading)
        picture.put(
          Strings.heading(heading, answered.prefix), row: row, column: 2, width: layout.listColumns - 3, style)
      } else if case .city(let section, let place)? = line, let city = screen.city(line) {
        let name =
          screen.hits[section, place]?.matched.map { "\($0) \(charset.arrow) \(city.title)" }
          ?? title(of: city, width: columns.area - columns.title - CityColumns.gap)
        paint(city, name, row, columns)
        if screen.marked?.contains(where: { $0.id == city.id }) == true {
          picture.put("*", row: row, column: 1, Style(.strong))
        } else if screen.visits.contains(city.id) {
          picture.put(charset.tick, row: row, column: 1, Style(.faint))
        }
        mark(name, query, answered.foldMode, row, columns)
      }
      if index == screen.cursor.selected { select(row..<row + 1, columns: layout.listColumns) }
    }
  }

  /// The title of a city, with its name in the user's language if there is one and both fit.
  private func title(of city: CityRow, width: Int) -> String {
    guard let name = translations?[city.id], name != city.name else { return city.title }
    let both = "\(city.title) (\(name))"
    return textWidth(both) <= width ? both : city.title
  }

  private func paint(_ city: CityRow, _ name: String, _ row: Int, _ columns: CityColumns) {
    let title = picture.put(name, row: row, column: columns.title, width: columns.areaEnd - columns.title)
    // For a city that is a region of its own, or has no region, the country is more useful.
    let area = city.region.flatMap { $0 == city.name ? nil : $0 } ?? CountryName[city.country] ?? ""
    // A long title is cut only if the row has no room for it: the area makes way.
    let start = max(columns.area, columns.title + title + CityColumns.gap)
    if columns.areaEnd - start >= CityColumns.leastArea {
      picture.put(area, row: row, column: start, width: columns.areaEnd - start)
    }
    if let end = columns.positionEnd {
      picture.put(Degrees.shortText(lat: city.lat, lon: city.lon), row: row, endingAt: end)
    }
    if let end = columns.populationEnd { picture.put(Strings.shortPopulation(city), row: row, endingAt: end) }
  }

  /// Emphasizes the part of a name that the filter matches.
  private func mark(_ name: String, _ query: [UInt8], _ mode: FoldMode, _ row: Int, _ columns: CityColumns) {
    guard !query.isEmpty, let matched = folder.matchedPrefix(of: name, query: query, mode) else { return }
    let end = min(columns.areaEnd, columns.title + textWidth(charset.shown(name.prefix(matched))))
    picture.restyle(row: row, columns: columns.title..<end) { $0.role = .match }
  }

  // MARK: - One city

  private func paintPreview(_ screen: CityScreen) {
    for row in layout.body {
      picture.put(charset.side, row: row, column: layout.listColumns, Style(.faint))
    }
    guard let city = screen.previewed else { return }
    let (column, width) = (layout.previewColumn, layout.preview.columns)
    let lines = lines(about: city, width: width)
    // Its last row stays blank.
    for (row, line) in zip(layout.body.prefix(layout.previewRows - 1), lines) {
      paint(line, row: row, column: column)
    }
    let view = Viewport.around(city.position, in: layout.preview)
    let top = layout.body.lowerBound + layout.previewRows
    paint(view, mark(of: city), screen.names, at: now, row: top, column: column)
  }

  private func paintDetails(_ screen: CityScreen) {
    guard let city = screen.selected else { return }
    let width = (layout.detailsColumns > 0 ? layout.detailsColumns : layout.size.columns) - 3
    let otherNames = screen.otherNames.key == city.id ? screen.otherNames.value ?? [] : []
    var lines =
      layout.isWide
      ? lines(about: city, otherNames, clock(of: screen), rows: layout.otherNamesRows, width: width)
      : shortLines(about: city, width: width)
    if layout.isWide, let neighbours = screen.neighbours.value {
      lines += [DetailLine(), DetailLine(text: Strings.neighbours, role: .strong)]
      lines += neighbours.map {
        DetailLine(label: ValueForm.distance($0.distance), text: $0.city.title, width: width, isNumber: true)
      }
    }
    let rows = layout.detailsRows > 0 ? layout.detailsRows : layout.body.count
    for (row, line) in zip(layout.body.prefix(rows), lines) { paint(line, row: row, column: 2) }
    guard let view = screen.drawn(layout) else { return }
    let top = layout.body.lowerBound + layout.detailsRows
    paint(view, mark(of: city), screen.names, at: now, row: top, column: layout.detailsColumns)
  }

  /// The local time of a city; `nil` if unknown.
  private func localTime(_ city: CityRow) -> String? {
    city.zone.flatMap { offset($0, now) }.map { Strings.localTime(now, offset: $0) }
  }

  /// The next clock change and the sun of the selected city, once known.
  private func clock(of screen: CityScreen) -> [(label: String, value: String)] {
    guard let city = screen.selected, screen.time.key == city.id, let reply = screen.time.value,
      let row = reply.rows.first
    else { return [] }
    let sun = CityClock(row, at: reply.at)?.sunshine(at: city.position)
    let facts = [(Strings.clockChange, row.change.map(CityTimeListing.shown)), (Strings.sun, sun)]
    return facts.compactMap { label, value in value.map { (label, $0) } }
  }

  /// The lines about a city: its title, then labels and values.
  private func lines(
    about city: CityRow, _ otherNames: [String] = [], _ clock: [(label: String, value: String)] = [], rows: Int = 0,
    width: Int
  ) -> [DetailLine] {
    let title = DetailLine(text: title(of: city, width: width), role: .heading, width: width)
    let room = width - DetailLine.labelWidth
    let names = charset.listed(otherNames.filter { $0 != city.name }, width: room, rows: rows)
    let facts = Strings.details(city, country: CountryName[city.country], localTime: localTime(city))
    let details = (facts.dropLast() + clock + facts.suffix(1))
      .map { (label: $0.label, texts: charset.wrapped($0.value, width: room)) }
    // The id comes last.
    let all = details.dropLast() + [(label: Strings.alsoKnown, texts: names)] + details.suffix(1)
    return [title]
      + all.flatMap { detail in
        detail.texts.enumerated().map {
          DetailLine(label: $0.offset == 0 ? detail.label : "", text: $0.element, width: width)
        }
      }
  }

  /// The lines about a city in the three rows that a small screen has above the map.
  private func shortLines(about city: CityRow, width: Int) -> [DetailLine] {
    let area = [city.region, CountryName[city.country]].compactMap { $0 }.joined(separator: ", ")
    let texts = [area, Strings.population(city)].filter { !$0.isEmpty }
    let time = localTime(city)
    return [
      DetailLine(text: [city.title, time].compactMap { $0 }.joined(separator: "  "), role: .heading, width: width),
      DetailLine(text: texts.joined(separator: "  "), width: width),
      DetailLine(text: Degrees.exactText(lat: city.lat, lon: city.lon), width: width),
    ]
  }

  private func paint(_ line: DetailLine, row: Int, column: Int) {
    guard let label = line.label else {
      picture.put(line.text, row: row, column: column, width: line.width, Style(line.role))
      return
    }
    let start = column + DetailLine.labelWidth
    if line.isNumber {
      picture.put(label, row: row, endingAt: start - 2)
    } else {
      picture.put(label, row: row, column: column, width: DetailLine.labelWidth - 1, Style(.faint))
    }
    picture.put(line.text, row: row, column: start, width: line.width - DetailLine.labelWidth, Style(line.role))
  }

  /// Paints the lines about a place, beside its map or above it.
  func paint(_ lines: [(text: String, role: Style.Role)]) {
    let rows = layout.detailsRows > 0 ? layout.detailsRows : layout.body.count
    let width = (layout.detailsColumns > 0 ? layout.detailsColumns : layout.size.columns) - 3
    let whole = lines.flatMap { line in charset.wrapped(line.text, width: width).map { (text: $0, role: line.role) } }
    for (row, line) in zip(layout.body.prefix(rows), whole) {
      picture.put(line.text, row: row, column: 2, width: width, Style(line.role))
    }
  }
}

/// A line about a city: a label with its value, or a text alone.
struct DetailLine {
  /// Columns of the labels, with what separates them from values.
  static let labelWidth = 12

  var label: String?
  var text = ""
  var role = Style.Role.plain
  var width = Int.max
  /// Whether the label is a number, which ends where labels end.
  var isNumber = false
}

/// The columns of a city's row: title, region, and if there is room, coordinates and population.
///
/// The population is left out first. Every part costs bytes with each key, so rows have no more.
struct CityColumns: Hashable {
  /// The columns between two parts, and the least that is worth showing of an area.
  static let (gap, leastArea) = (2, 4)
  /// The widths of coordinates and population, and the least widths of a list that has them.
  private static let (position, population, placed, populated) = (14, 5, 52, 59)

  /// The first columns of title and region.
  let (title, area): (Int, Int)
  /// The column after the region.
  let areaEnd: Int
  /// The columns after coordinates and population, if the row has them.
  let (positionEnd, populationEnd): (Int?, Int?)

  /// The columns of a list that is `width` columns wide.
  init(_ width: Int) {
    var end = width - 1
    func place(_ cells: Int, from least: Int) -> Int? {
      guard width >= least else { return nil }
      defer { end -= cells + Self.gap }
      return end
    }
    populationEnd = place(Self.population, from: Self.populated)
    positionEnd = place(Self.position, from: Self.placed)
    (title, areaEnd) = (2, end)
    area = title + (areaEnd - title - Self.gap) * 3 / 5 + Self.gap
  }
}

extension Charset {
  /// An arrow from a name to the title of its city.
  var arrow: String { self == .unicode ? "→" : "->" }
  /// The mark of a visited city.
  var tick: String { self == .unicode ? "✓" : "+" }
}

extension CityScreen.Query {
  /// How the server folded for this query.
  var foldMode: FoldMode { match == .folded ? .baseLetters : .plain }
}

/// A position for people.
enum Degrees {
  /// `59.44N  24.75E`, to about a kilometre, of the same width for all longitudes.
  static func shortText(lat: Double, lon: Double) -> String {
    var text = [UInt8](repeating: UInt8(ascii: " "), count: 14)
    put(lat.magnitude, &text, endingAt: 5)
    put(lon.magnitude, &text, endingAt: 13)
    (text[5], text[13]) = (UInt8(ascii: lat < 0 ? "S" : "N"), UInt8(ascii: lon < 0 ? "W" : "E"))
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes a number with two decimals, for which there are at most five digits.
  private static func put(_ number: Double, _ text: inout [UInt8], endingAt end: Int) {
    var rest = Int(min(99_999, (number * 100).rounded()))
    var place = end - 1
    while place >= end - 4 || (rest > 0 && place >= 0) {
      text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
      place -= place == end - 2 ? 2 : 1
    }
    text[end - 3] = UInt8(ascii: ".")
  }

  /// `59.43696 N 24.75353 E`, with all digits that are known.
  static func exactText(lat: Double, lon: Double) -> String {
    let (north, east) = (decimalText(lat.magnitude), decimalText(lon.magnitude))
    return "\(north) \(lat < 0 ? "S" : "N") \(east) \(lon < 0 ? "W" : "E")"
  }
}
