internal import CitiesProtocol
internal import Text

extension Painter {
  /// Paints what lies over the screen.
  func paint(_ overlay: Overlay, _ browser: Browser, _ picture: inout Picture) {
    picture.cursor = nil
    switch overlay {
    case .keys(let line): paintKeys(from: line, browser.layout, &picture)
    case .hours(let location): box(Words.hours, Words.week(of: location), browser.layout, &picture)
    case .currencies(let known, let selected): paint(known, selected, browser.layout, &picture)
    case .refresh(let panel): box(Words.refresh, Words.outcomes(panel), browser.layout, &picture)
    case .position(let panel): paint(panel, browser.layout, &picture)
    }
  }

  private func paintKeys(from line: Int, _ layout: Layout, _ picture: inout Picture) {
    picture.clear(rows: layout.body, columns: 0..<layout.size.columns)
    let column = layout.isWide ? 3 + (Words.keys.map(\.keys.count).max() ?? 0) : 3
    let shown = Words.keys[min(line, layout.lastKeyLine)...]
    for (index, entry) in shown.enumerated() {
      let row = layout.body.lowerBound + index * layout.rowsPerKey
      guard layout.body.contains(row + layout.rowsPerKey - 1) else { return }
      picture.put(entry.keys, row: row, column: 1, Style(.strong))
      picture.put(entry.does, row: row + layout.rowsPerKey - 1, column: column)
    }
  }

  /// Paints lines in a frame in the middle of the screen.
  ///
  /// - Returns: the row and column of the first line, and the cells of a line.
  @discardableResult
  private func box(
    _ title: String, _ lines: [String], _ layout: Layout, _ picture: inout Picture
  ) -> (row: Int, column: Int, width: Int) {
    let most = layout.size.columns - 4
    let lines = lines.flatMap { charset.wrapped($0, width: most) }
    let width = min(most, max(lines.map { cellWidth(charset.shown($0)) }.max() ?? 0, cellWidth(title) + 2, 24))
    let height = min(lines.count, layout.body.count - 2)
    let top = layout.body.lowerBound + (layout.body.count - height - 2) / 2
    let left = (layout.size.columns - width - 4) / 2
    picture.clear(rows: top..<top + height + 2, columns: left..<left + width + 4)
    let dashes = String(repeating: "-", count: width + 2)
    for row in [top, top + height + 1] { picture.put("+\(dashes)+", row: row, column: left, Style(.faint)) }
    picture.put(" \(title) ", row: top, column: left + 2, width: width, Style(.heading))
    for (row, line) in zip(top + 1..<top + 1 + height, lines) {
      picture.put("|", row: row, column: left, Style(.faint))
      picture.put(line, row: row, column: left + 2, width: width)
      picture.put("|", row: row, column: left + width + 3, Style(.faint))
    }
    return (top + 1, left + 2, width)
  }

  private func paint(_ known: [String], _ selected: String, _ layout: Layout, _ picture: inout Picture) {
    let height = max(1, layout.body.count - 2)
    let place = known.firstIndex(of: selected) ?? 0
    let first = max(0, min(place - height / 2, known.count - height))
    let lines = known[first...].prefix(height).map { ($0 == selected ? "> " : "  ") + $0 }
    let inner = box(Words.currency, lines, layout, &picture)
    picture.restyle(row: inner.row + place - first, columns: inner.column..<inner.column + inner.width) {
      $0.isSelected = true
    }
  }

  private func paint(_ panel: PositionPanel, _ layout: Layout, _ picture: inout Picture) {
    if let picked = panel.picked {
      box(Words.whereAreYou, Words.keepQuestion(picked), layout, &picture)
      return
    }
    let cities = (0..<PositionPanel.offered).map { index in
      panel.rows[index].map { (index == panel.cursor.selected ? "> " : "  ") + $0.title } ?? ""
    }
    let head = [Words.suggestion(panel.suggestion), "\(Words.city) \(panel.line.text)"]
    let wide = String(repeating: " ", count: min(50, layout.size.columns - 4))
    let inner = box(Words.whereAreYou, head + cities + [wide], layout, &picture)
    let column = inner.column + cellWidth("\(Words.city) \(panel.line.beforeCaret)")
    if column < inner.column + inner.width { picture.cursor = .init(row: inner.row + 1, column: column) }
  }
}
