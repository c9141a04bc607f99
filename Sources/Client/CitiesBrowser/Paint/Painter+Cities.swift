internal import CitiesProtocol
internal import Text

extension Painter {
  /// Paints the screen of the cities.
  func paint(_ screen: CityScreen, _ browser: Browser, _ picture: inout Picture) {
    paintFilter(screen, browser, &picture)
    switch screen.view {
    case .list: paintList(screen, browser.layout, &picture)
    case .details: paintDetails(screen, browser.layout, &picture)
    }
  }

  private func paintFilter(_ screen: CityScreen, _ browser: Browser, _ picture: inout Picture) {
    let (row, columns) = (browser.layout.filter, browser.layout.size.columns)
    var right = Words.count(screen.rows.total)
    if browser.layout.isWide { right += "   " + (screen.rows.query.match == .folded ? Words.folded : Words.plain) }
    if screen.rows.answered != nil { picture.put(right, row: row, endingAt: columns - 1) }
    let column = 2 + picture.put(Words.find, row: row, column: 1, Style(.strong))
    let room = columns - 3 - column - cellWidth(right)
    // Of a filter that is too long the end is seen, where the caret is.
    var text = Substring(screen.filter.text)
    var before = Substring(screen.filter.beforeCaret)
    while cellWidth(before) >= room, !before.isEmpty { (text, before) = (text.dropFirst(), before.dropFirst()) }
    picture.put(text, row: row, column: column, width: room)
    if screen.view == .list && screen.isTyping {
      picture.cursor = .init(row: row, column: column + cellWidth(charset.shown(before)))
    }
  }

  private func paintList(_ screen: CityScreen, _ layout: Layout, _ picture: inout Picture) {
    if let problem = screen.rows.problem { return paint(problem, layout, &picture) }
    if screen.rows.isCurrent && screen.rows.total == 0 {
      picture.put(Words.nothingFound, row: layout.body.lowerBound, column: 2, Style(.faint))
    }
    let query = folder.folded(screen.rows.answered?.prefix ?? "", screen.rows.answered?.foldMode ?? .plain)
    for (place, index) in screen.cursor.seen(count: screen.rows.total, height: layout.cities).enumerated() {
      guard let city = screen.rows[index] else { continue }
      let row = layout.body.lowerBound + place * layout.rowsPerCity
      paint(city, query, screen, row, layout, isSelected: index == screen.cursor.selected, &picture)
    }
  }

  private func paint(
    _ city: CityRow, _ query: [UInt8], _ screen: CityScreen, _ row: Int, _ layout: Layout, isSelected: Bool,
    _ picture: inout Picture
  ) {
    let columns = layout.size.columns
    let coordinates = Degrees.text(lat: city.lat, lon: city.lon)
    if isSelected { picture.put(">", row: row, column: 0, Style(.strong)) }
    let room = layout.isWide ? columns - 4 - Degrees.width : columns - 3
    picture.put(city.title, row: row, column: 2, width: room)
    if !query.isEmpty, let mode = screen.rows.answered?.foldMode,
      let matched = folder.matchedPrefix(of: city.title, query: query, mode)
    {
      let end = 2 + min(room, cellWidth(charset.shown(city.title.prefix(matched))))
      picture.restyle(row: row, columns: 2..<end) { $0.role = .match }
    }
    if layout.isWide {
      picture.put(coordinates, row: row, endingAt: columns - 1)
    } else {
      picture.put(coordinates, row: row + 1, column: 4, Style(.faint))
    }
    if isSelected {
      for line in row..<row + layout.rowsPerCity {
        picture.restyle(row: line, columns: 0..<columns) { $0.isSelected = true }
      }
    }
  }

  /// Says why there is nothing to be seen.
  func paint(_ problem: WireError, _ layout: Layout, _ picture: inout Picture) {
    let text = problem.code == .unavailable ? Words.noData(problem.data?.phase, problem.data?.done) : problem.message
    picture.put(text, row: layout.body.lowerBound, column: 2, width: layout.size.columns - 3, Style(.problem))
  }

  private func paintDetails(_ screen: CityScreen, _ layout: Layout, _ picture: inout Picture) {
    guard let city = screen.selected else { return }
    var row = layout.body.lowerBound
    func line(_ text: String, _ style: Style = .plain) {
      guard layout.body.contains(row) else { return }
      picture.put(text, row: row, column: 2, width: layout.size.columns - 3, style)
      row += 1
    }
    line(city.title, Style(.heading))
    line(Degrees.text(lat: city.lat, lon: city.lon))
    line("id \(city.id)" + (city.population.map { "   \(Words.grouped(Int(clamping: $0))) inhabitants" } ?? ""))
    guard let neighbours = screen.neighbours.value else { return }
    line(Words.neighbours, Style(.strong))
    for neighbour in neighbours where neighbour.city.id != city.id {
      line("\(neighbour.distance) m  \(neighbour.city.title)")
    }
  }
}

extension CityScreen.Query {
  /// How the server folded for this query.
  var foldMode: FoldMode { match == .folded ? .baseLetters : .plain }
}
