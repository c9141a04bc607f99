internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

extension Painter {
  /// Paints a panel over the screen.
  func paint(_ overlay: Overlay, _ browser: Browser) {
    picture.cursor = nil
    switch overlay {
    case .keys(let line): paintKeys(from: line)
    case .hours(let location): paintHours(of: location, at: browser.now)
    case .currencies(let known, let selected):
      choice(Strings.currency, known, known.firstIndex(of: selected) ?? 0)
    case .visits(let selected):
      choice(Strings.visits, browser.visits.map(Strings.visit), selected)
    case .refresh(let subject):
      let outcomes = Strings.outcomes(of: subject, browser.refreshes[subject])
      box(Strings.refresh, outcomes, wraps: true)
    case .position: paint(browser.position)
    }
  }

  /// Paints the help in columns: whole groups if all of them fit, otherwise lines from `first` on.
  private func paintKeys(from first: Int) {
    picture.clear(rows: layout.body, columns: 0..<layout.size.columns)
    let lines = Strings.keyLines
    // The least height at which the groups fit, for columns of about the same height.
    let balanced = (lines.count + layout.keyColumns - 1) / layout.keyColumns
    let columns = (min(balanced, layout.body.count)...layout.body.count).lazy
      .compactMap { [layout] in Self.columns(of: Strings.keyGroups, height: $0, count: layout.keyColumns) }.first
    let shown =
      columns
      ?? (0..<layout.keyColumns).map { column in
        let begin = min(first, layout.lastKeyLine) + column * layout.body.count
        return Array(lines.dropFirst(begin).prefix(layout.body.count))
      }
    for (number, column) in shown.enumerated() {
      for (row, line) in zip(layout.body, column) {
        let begin = 1 + number * Layout.keyColumnWidth
        picture.put(line.keys, row: row, column: begin, Style(line.does == nil ? .heading : .strong))
        picture.put(line.does ?? "", row: row, column: begin + 12, width: Layout.keyColumnWidth - 13)
      }
    }
  }

  /// The groups in columns, separated by blank lines; `nil` if there are not enough columns.
  private static func columns(of groups: [[Strings.KeyLine]], height: Int, count: Int) -> [[Strings.KeyLine]]? {
    var columns: [[Strings.KeyLine]] = [[]]
    for group in groups {
      let last = columns[columns.count - 1]
      if !last.isEmpty && last.count + 1 + group.count > height { columns.append([]) }
      let gap = columns[columns.count - 1].isEmpty ? [] : [Strings.KeyLine(keys: "", does: nil)]
      columns[columns.count - 1] += gap + group
    }
    return columns.count <= count && columns.allSatisfy { $0.count <= height } ? columns : nil
  }

  private func paintHours(of location: BankRow, at moment: Int64) {
    let today = offset(location.zone, moment).map { WeekText.weekday(moment + $0) }
    let week = Strings.week(of: location)
    let inner = box(Strings.hours, week, wraps: location.hours == nil)
    guard let today, location.hours != nil, week.indices.contains(today) else { return }
    picture.restyle(row: inner.row + today, columns: inner.column..<inner.column + inner.width) { $0.role = .strong }
    picture.put(">", row: inner.row + today, column: inner.column - 1, Style(.strong))
  }

  /// Paints lines in a frame in the middle of the screen, or without a frame if they do not fit.
  ///
  /// Lines that are too wide are cut, unless `wraps` is set.
  /// - Returns: The row and column of the first line, and the width of a line.
  @discardableResult
  private func box(_ title: String, _ lines: [String], wraps: Bool = false) -> (row: Int, column: Int, width: Int) {
    let most = layout.size.columns - 4
    let lines = wraps ? lines.flatMap { charset.wrapped($0, width: most) } : lines
    let width = min(most, max(lines.map { textWidth(charset.shown($0)) }.max() ?? 0, textWidth(title) + 2, 24))
    let height = lines.count
    guard height <= layout.body.count - 2 else { return page(title, lines, width) }
    let top = layout.body.lowerBound + (layout.body.count - height - 2) / 2
    let left = (layout.size.columns - width - 4) / 2
    picture.clear(rows: top..<top + height + 2, columns: left..<left + width + 4)
    let edges = charset.edges(width + 2)
    picture.put(edges.top, row: top, column: left, Style(.faint))
    picture.put(edges.bottom, row: top + height + 1, column: left, Style(.faint))
    picture.put(" \(title) ", row: top, column: left + 2, width: width, Style(.heading))
    for (row, line) in zip(top + 1..<top + 1 + height, lines) {
      picture.put(charset.side, row: row, column: left, Style(.faint))
      picture.put(line, row: row, column: left + 2, width: width)
      picture.put(charset.side, row: row, column: left + width + 3, Style(.faint))
    }
    return (top + 1, left + 2, width)
  }

  /// Paints lines in place of the screen, with their title in place of the filter.
  private func page(_ title: String, _ lines: [String], _ width: Int) -> (row: Int, column: Int, width: Int) {
    picture.clear(rows: layout.filter..<layout.body.upperBound, columns: 0..<layout.size.columns)
    picture.put(title, row: layout.filter, column: 2, Style(.heading))
    for (row, line) in zip(layout.body, lines) { picture.put(line, row: row, column: 2, width: width) }
    return (layout.body.lowerBound, 2, width)
  }

  /// Paints a list in a frame, with one of its lines selected.
  private func choice(_ title: String, _ choices: [String], _ selected: Int) {
    let height = max(1, layout.body.count - 2)
    let first = max(0, min(selected - height / 2, choices.count - height))
    let lines = choices.enumerated().dropFirst(first).prefix(height)
      .map { ($0.offset == selected ? "> " : "  ") + $0.element }
    let inner = box(title, lines)
    picture.cursor = MapCell(column: inner.column, row: inner.row + selected - first)
    picture.restyle(row: inner.row + selected - first, columns: inner.column..<inner.column + inner.width) {
      $0.isSelected = true
    }
  }

  private func paint(_ panel: PositionPanel) {
    if let picked = panel.picked {
      box(Strings.whereAreYou, Strings.keepQuestion(picked), wraps: true)
      return
    }
    var cities = (0..<PositionPanel.offered).map { index in
      panel.city(at: index).map { (index == panel.cursor.selected ? "> " : "  ") + $0.title } ?? ""
    }
    if let problem = panel.cities.problem { cities[0] = problem.message }
    let head = [Strings.suggestion(panel.suggestion), "\(Strings.city) \(panel.line.text)"]
    let wide = String(repeating: " ", count: min(50, layout.size.columns - 4))
    let inner = box(Strings.whereAreYou, head + cities + [wide])
    let column = inner.column + textWidth("\(Strings.city) \(panel.line.beforeCaret)")
    if column < inner.column + inner.width { picture.cursor = .init(column: column, row: inner.row + 1) }
  }
}

extension Charset {
  /// The side of a frame, which is also the line between two parts of the screen.
  var side: String { self == .unicode ? "│" : "|" }

  /// The upper and lower edge of a frame, with `width` cells between the corners.
  func edges(_ width: Int) -> (top: String, bottom: String) {
    let line = String(repeating: self == .unicode ? "─" : "-", count: width)
    return self == .unicode ? ("┌\(line)┐", "└\(line)┘") : ("+\(line)+", "+\(line)+")
  }
}
