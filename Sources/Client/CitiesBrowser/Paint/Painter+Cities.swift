internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Text

extension Painter {
  /// Paints the screen of the cities.
  func paint(_ screen: CityScreen) {
    var right = screen.rows.answered == nil ? "" : Strings.count(screen, withHits: layout.isWide)
    if layout.isWide {
      if screen.rows.query.order == .population { right += "   " + Strings.byPopulation }
      if screen.rows.query.match == .plain { right += "   " + Strings.plain }
    }
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
          Strings.heading(heading, answered.prefix), row: row, column: 2, width: columns.end - 2, style)
      } else if case .city(let section, let place)? = line, let city = screen.city(line) {
        let name =
          screen.hits[section, place]?.matched.map { "\($0) \(charset.arrow) \(city.title)" }
          ?? title(of: city, width: columns.title.count)
        paint(city, name, row, columns)
        if screen.visits.contains(city.id) { picture.put(charset.tick, row: row, column: 1, Style(.faint)) }
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
    picture.put(name, row: row, column: columns.title.lowerBound, width: columns.title.count)
    // For a city that is a region of its own, or has no region, the country is more useful.
    let area = city.region.flatMap { $0 == city.name ? nil : $0 } ?? CountryName[city.country] ?? ""
    picture.put(area, row: row, column: columns.area.lowerBound, width: columns.area.count)
    if let clock = columns.clock, let offset = city.zone.flatMap({ offset($0, now) }) {
      picture.put(Strings.clock(now + offset), row: row, column: clock)
    }
    guard let population = city.population else { return }
    if charset == .unicode {
      picture.put(Strings.bar(population, cells: columns.bar.count), row: row, column: columns.bar.lowerBound)
    }
    let number = columns.isWide ? Strings.population(city) : Strings.shortPopulation(city)
    picture.put(number, row: row, endingAt: columns.end)
  }

  /// Emphasizes the part of a name that the filter matches.
  private func mark(_ name: String, _ query: [UInt8], _ mode: FoldMode, _ row: Int, _ columns: CityColumns) {
    guard !query.isEmpty, let matched = folder.matchedPrefix(of: name, query: query, mode) else { return }
    let width = min(columns.title.count, textWidth(charset.shown(name.prefix(matched))))
    let start = columns.title.lowerBound
    picture.restyle(row: row, columns: start..<start + width) { $0.role = .match }
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
      ? lines(about: city, otherNames, rows: layout.otherNamesRows, width: width)
      : shortLines(about: city, width: width)
    if layout.isWide, let neighbours = screen.neighbours.value {
      lines += [DetailLine(), DetailLine(text: Strings.neighbours, role: .strong)]
      lines += neighbours.filter { $0.city.id != city.id }.map {
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

  /// The lines about a city: its title, then labels and values.
  private func lines(about city: CityRow, _ otherNames: [String] = [], rows: Int = 0, width: Int) -> [DetailLine] {
    let title = DetailLine(text: title(of: city, width: width), role: .heading, width: width)
    let room = width - DetailLine.labelWidth
    let names = charset.listed(otherNames.filter { $0 != city.name }, width: room, rows: rows)
    let details = Strings.details(city, country: CountryName[city.country], localTime: localTime(city))
      .map { (label: $0.label, texts: charset.wrapped($0.value, width: room)) }
    // The coordinates come last.
    let all = details.dropLast(2) + [(label: Strings.alsoKnown, texts: names)] + details.suffix(2)
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

/// The columns of a city's row: title, region, local time if there is room, and population as a bar and a number.
struct CityColumns: Hashable {
  /// The columns between two parts, and the width of the local time.
  private static let (gap, clockWidth) = (2, 5)
  /// The least widths with a local time, with all digits of the population, and with a bar of more than one column.
  private static let (timed, wide, barred) = (50, 60, 76)

  let title: Range<Int>
  let area: Range<Int>
  /// The first column of the local time, if any.
  let clock: Int?
  let bar: Range<Int>
  /// Whether the population has all its digits.
  let isWide: Bool
  /// The column after the population.
  let end: Int

  /// The columns of a list that is `width` columns wide.
  init(_ width: Int) {
    isWide = width >= Self.wide
    end = width - 1
    let barEnd = end - (isWide ? 10 : 5) - 1
    bar = barEnd - (width >= Self.barred ? 5 : 1)..<barEnd
    let hasClock = width >= Self.timed
    clock = hasClock ? bar.lowerBound - Self.gap - Self.clockWidth : nil
    let names = (clock ?? bar.lowerBound) - Self.gap - 2
    let titles = (names - Self.gap) * 3 / 5
    title = 2..<2 + titles
    area = 2 + titles + Self.gap..<2 + names
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
  /// `59.43696 N 24.75353 E`, with all digits that are known.
  static func exactText(lat: Double, lon: Double) -> String {
    let (north, east) = (decimalText(lat.magnitude), decimalText(lon.magnitude))
    return "\(north) \(lat < 0 ? "S" : "N") \(east) \(lon < 0 ? "W" : "E")"
  }
}
