internal import CitiesMap
internal import CitiesProtocol
internal import Text

/// Paints what the browser knows; the same state gives the same picture.
///
/// An instance belongs to one thread.
final class Painter {
  let charset: Charset
  let folder = CaseFolder()
  // Decoded at the first map: a list needs none.
  private(set) lazy var outlines = try? Outlines.embedded()

  /// Paints with the characters of `charset`.
  init(_ charset: Charset) { self.charset = charset }

  /// The picture of a state.
  func picture(of browser: Browser) -> Picture {
    var picture = Picture(browser.layout.size, charset)
    guard browser.layout.size.isEnough else {
      picture.put(Strings.tooSmall(browser.layout.size), row: 0, column: 0)
      return picture
    }
    paintTabs(browser, &picture)
    switch browser.subject {
    case .banks: paint(browser.banks, browser.layout, &picture)
    case .trade: paint(browser.trade, browser.layout, &picture)
    default: paint(browser.cities, browser.layout, &picture)
    }
    if let overlay = browser.overlay { paint(overlay, browser, &picture) }
    paintStatus(browser, &picture)
    return picture
  }

  private func paintTabs(_ browser: Browser, _ picture: inout Picture) {
    var column = 1
    for subject in browser.subjects {
      let isSeen = subject == browser.subject
      let name = Strings.name(of: subject)
      column += picture.put(
        isSeen ? "[\(name)]" : " \(name) ", row: browser.layout.tabs, column: column, Style(isSeen ? .heading : .plain))
    }
    let sources =
      switch browser.subject {
      case .banks: browser.banks.sources
      case .trade: browser.trade.sources
      default: Provenance?.none
      }
    // Where there is no room for both, what is to be known of the data comes first.
    let room = browser.layout.size.columns - 2 - column
    let note = sources.flatMap(Strings.note)
    let both = [note, Strings.keysHint].compactMap { $0 }.joined(separator: "   ")
    let text = cellWidth(both) <= room ? both : note ?? Strings.keysHint
    let begin = browser.layout.size.columns - 1 - min(room, cellWidth(text))
    picture.put(text, row: browser.layout.tabs, column: begin, width: room, Style(note == nil ? .faint : .strong))
  }

  private func paintStatus(_ browser: Browser, _ picture: inout Picture) {
    let row = browser.layout.status
    let width = browser.layout.size.columns - 2
    switch browser.server {
    case .lost(let reason):
      picture.put("! " + Strings.lost(reason), row: row, column: 1, width: width, Style(.problem))
    case .connected(isSlow: true):
      picture.put(Strings.waiting, row: row, column: 1, width: width, Style(.faint))
    case .connected(isSlow: false):
      if let notice = browser.notice {
        picture.put("! " + notice, row: row, column: 1, width: width, Style(.problem))
      } else {
        picture.put(fitting(Strings.hints(browser), width), row: row, column: 1, Style(.faint))
      }
    }
  }

  /// As many of the hints as there is room for, the first ones first.
  private func fitting(_ hints: [String], _ width: Int) -> String {
    var line = ""
    for hint in hints {
      let longer = line.isEmpty ? hint : "\(line)   \(hint)"
      guard cellWidth(longer) <= width else { break }
      line = longer
    }
    return line
  }

  // MARK: - What screens share

  /// Paints the filter, with what the list holds at the right end of its row.
  func paintFilter(_ filter: LineEditor, isTyping: Bool, right: String, _ layout: Layout, _ picture: inout Picture) {
    let (row, columns) = (layout.filter, layout.size.columns)
    picture.put(right, row: row, endingAt: columns - 1)
    let column = 2 + picture.put(Strings.find, row: row, column: 1, Style(.strong))
    let room = columns - 3 - column - cellWidth(charset.shown(right))
    // Of a filter that is too long the end is seen, where the caret is.
    var text = Substring(filter.text)
    var before = Substring(filter.beforeCaret)
    while cellWidth(before) >= room, !before.isEmpty { (text, before) = (text.dropFirst(), before.dropFirst()) }
    picture.put(text, row: row, column: column, width: room)
    if isTyping { picture.cursor = .init(row: row, column: column + cellWidth(charset.shown(before))) }
  }

  /// Says why there is nothing to be seen.
  func paint(_ problem: WireError, _ layout: Layout, _ picture: inout Picture) {
    let text = problem.code == .unavailable ? Strings.noData(problem.data?.phase, problem.data?.done) : problem.message
    let width = layout.size.columns - 4
    for (row, line) in zip(layout.body, charset.wrapped("! " + text, width: width)) {
      picture.put(line, row: row, column: 2, width: width, Style(.problem))
    }
  }

  /// Marks screen rows as those of the selection, by a sign and by their style.
  func select(_ rows: Range<Int>, _ layout: Layout, _ picture: inout Picture) {
    picture.put(">", row: rows.lowerBound, column: 0, Style(.strong))
    for row in rows { picture.restyle(row: row, columns: 0..<layout.size.columns) { $0.isSelected = true } }
  }
}

extension Painter {
  /// Paints what lies over the screen.
  func paint(_ overlay: Overlay, _ browser: Browser, _ picture: inout Picture) {
    picture.cursor = nil
    switch overlay {
    case .keys(let line): paintKeys(from: line, browser.layout, &picture)
    case .hours(let location): box(Strings.hours, Strings.week(of: location), browser.layout, &picture)
    case .currencies(let known, let selected): paint(known, selected, browser.layout, &picture)
    case .refresh(let panel): box(Strings.refresh, Strings.outcomes(panel), browser.layout, &picture)
    case .position(let panel): paint(panel, browser.layout, &picture)
    }
  }

  private func paintKeys(from line: Int, _ layout: Layout, _ picture: inout Picture) {
    picture.clear(rows: layout.body, columns: 0..<layout.size.columns)
    let column = layout.isWide ? 3 + (Strings.keys.map(\.keys.count).max() ?? 0) : 3
    let shown = Strings.keys[min(line, layout.lastKeyLine)...]
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
    let inner = box(Strings.currency, lines, layout, &picture)
    picture.restyle(row: inner.row + place - first, columns: inner.column..<inner.column + inner.width) {
      $0.isSelected = true
    }
  }

  private func paint(_ panel: PositionPanel, _ layout: Layout, _ picture: inout Picture) {
    if let picked = panel.picked {
      box(Strings.whereAreYou, Strings.keepQuestion(picked), layout, &picture)
      return
    }
    let cities = (0..<PositionPanel.offered).map { index in
      panel.rows[index].map { (index == panel.cursor.selected ? "> " : "  ") + $0.title } ?? ""
    }
    let head = [Strings.suggestion(panel.suggestion), "\(Strings.city) \(panel.line.text)"]
    let wide = String(repeating: " ", count: min(50, layout.size.columns - 4))
    let inner = box(Strings.whereAreYou, head + cities + [wide], layout, &picture)
    let column = inner.column + cellWidth("\(Strings.city) \(panel.line.beforeCaret)")
    if column < inner.column + inner.width { picture.cursor = .init(row: inner.row + 1, column: column) }
  }
}

extension Painter {
  /// Paints a map with its caption beneath, from a cell on.
  func paint(_ view: Viewport, _ marks: [MapMark], row: Int, column: Int, _ picture: inout Picture) {
    guard let outlines else { return }
    let drawing = MapDrawing(
      view: view, marks: marks, outlines: outlines, characters: charset == .unicode ? .braille : .ascii)
    let drawn = drawing.picture()
    for line in 0..<drawn.size.rows {
      for (place, cell) in drawn.row(line).enumerated() where cell != .blank && !cell.text.isEmpty {
        picture.put(cell.text, row: row + line, column: column + place, Style(cell.layer.role))
      }
    }
    let caption = Self.caption(drawing, columns: view.size.columns)
    picture.put(caption, row: row + drawn.size.rows, column: column, width: view.size.columns, Style(.faint))
  }

  /// The scale bar and the coordinates; between them, or where there is no room for both in place of the coordinates, that
  /// outlines cannot be drawn so closely.
  private static func caption(_ drawing: MapDrawing, columns: Int) -> String {
    let caption = drawing.caption().first ?? ""
    guard drawing.note != nil else { return caption }
    // The parts stand at the ends, at least two blanks apart; within them single blanks are all there are.
    let bar = caption.split(separator: "  ", maxSplits: 1).first ?? ""
    let noted = "\(bar)  \(Strings.plainGrid)"
    let coordinates = caption.dropFirst(bar.count).drop { $0 == " " }
    let blanks = columns - noted.count - coordinates.count
    return blanks < 2 ? noted : noted + String(repeating: " ", count: blanks) + coordinates
  }

  /// The marks of cities that are named around something.
  func marks(of names: MapNames, without chosen: UInt64?) -> [MapMark] {
    names.cities.filter { $0.id != chosen }
      .map { MapMark(at: $0.position, kind: .city, label: $0.name, needsLabel: true) }
  }
}

extension MapPicture.Layer {
  /// The style of a layer on the screen.
  fileprivate var role: Style.Role {
    switch self {
    case .grid, .border: .faint
    case .mark, .label: .plain
    case .chosenMark, .chosenLabel: .mark
    case .ground, .coast, .text: .plain
    }
  }
}
