internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Text

/// Paints the state of the browser; the same state gives the same picture.
///
/// An instance belongs to one thread.
final class Painter {
  let charset: Charset
  let folder = CaseFolder()
  // Made on first use: not every screen needs it.
  private(set) lazy var outlines = Outlines.embedded()
  /// Names of cities in the user's language.
  let translations: Translations?
  /// The offset of a zone in seconds east of UTC at a moment; `nil` for an unknown zone.
  let offset: (_ zone: String, _ moment: Int64) -> Int64?
  /// The last drawn map: most keys do not change it.
  var lastMap: DrawnMap?
  /// The picture that is being painted, its layout, and the time that it shows.
  var picture: Picture
  private(set) var (layout, now): (Layout, Int64)

  /// Paints with the characters of `charset`.
  init(
    _ charset: Charset, _ translations: Translations? = nil,
    offset: @escaping (_ zone: String, _ moment: Int64) -> Int64? = ZoneClock().offset
  ) {
    (self.charset, self.translations, self.offset) = (charset, translations, offset)
    (layout, now) = (Layout(ScreenSize(rows: 0, columns: 0)), 0)
    picture = Picture(layout.size, charset)
  }

  /// The picture of a state.
  func picture(of browser: Browser) -> Picture {
    (layout, now) = (browser.layout, browser.now)
    picture = Picture(layout.size, charset)
    guard layout.size.isEnough else {
      let width = layout.size.columns
      for (row, line) in charset.wrapped(Strings.tooSmall(layout.size), width: width).enumerated() {
        picture.put(line, row: row, column: 0)
      }
      return picture
    }
    paintTabs(browser)
    switch browser.subject {
    case .banks: paint(browser.banks)
    case .trade: paint(browser.trade)
    default: paint(browser.cities)
    }
    if let overlay = browser.overlay { paint(overlay, browser) }
    paintStatus(browser)
    return picture
  }

  private func paintTabs(_ browser: Browser) {
    var column = 1
    for subject in browser.subjects {
      let isSeen = subject == browser.subject
      let name = Strings.name(of: subject)
      column += picture.put(
        isSeen ? "[\(name)]" : " \(name) ", row: layout.tabs, column: column, Style(isSeen ? .heading : .plain))
    }
    // If both do not fit, the note about the data takes precedence.
    let room = layout.size.columns - 2 - column
    let note = browser.screen.sources.flatMap(Strings.note)
    let both = [note, Strings.keysHint].compactMap { $0 }.joined(separator: "   ")
    let text = textWidth(both) <= room ? both : note ?? Strings.keysHint
    let start = layout.size.columns - 1 - min(room, textWidth(text))
    picture.put(text, row: layout.tabs, column: start, width: room, Style(note == nil ? .faint : .strong))
  }

  private func paintStatus(_ browser: Browser) {
    let row = layout.status
    let width = layout.size.columns - 2
    switch browser.server {
    case .lost(let reason):
      picture.put("! " + Strings.lost(reason), row: row, column: 1, width: width, Style(.problem))
    case .connected(isSlow: true):
      picture.put(Strings.waiting, row: row, column: 1, width: width, Style(.faint))
    case .connected(isSlow: false):
      guard let notice = browser.notice else { return paint(Strings.hints(browser), row, width) }
      let text = notice.isProblem ? "! " + notice.text : notice.text
      picture.put(text, row: row, column: 1, width: width, Style(notice.isProblem ? .problem : .strong))
    }
  }

  /// Paints as many hints as fit; the highest ranks are left out first.
  private func paint(_ hints: [KeyHint], _ row: Int, _ width: Int) {
    func cells(_ hints: [KeyHint]) -> Int {
      hints.reduce(3 * max(0, hints.count - 1)) { $0 + textWidth("\($1.keys) \($1.does)") }
    }
    var shown = hints
    while cells(shown) > width, let last = shown.max(by: { $0.rank < $1.rank }) { shown.removeAll { $0 == last } }
    var column = 1
    for hint in shown {
      column += picture.put(hint.keys, row: row, column: column, Style(.strong))
      column += picture.put(" " + hint.does, row: row, column: column, Style(.faint)) + 3
    }
  }

  // MARK: - Common parts

  /// Paints the filter, with a summary of the list at the right end of its row.
  func paintFilter(_ filter: LineEditor, isTyping: Bool, right: String) {
    let (row, columns) = (layout.filter, layout.size.columns)
    let column = 2 + picture.put(Strings.find, row: row, column: 1, Style(.strong))
    // A long summary is cut, so that a quarter of the row is left for the filter.
    let summary = min(textWidth(charset.shown(right)), columns * 3 / 4 - 3 - column)
    let room = columns - 3 - column - summary
    picture.put(right, row: row, column: columns - 1 - summary, width: summary)
    // A filter that is too long shows its end, where the caret is.
    var text = Substring(filter.text)
    var before = Substring(filter.beforeCaret)
    while textWidth(String(before)) >= room, !before.isEmpty { (text, before) = (text.dropFirst(), before.dropFirst()) }
    picture.put(text, row: row, column: column, width: room)
    if isTyping { picture.cursor = .init(column: column + textWidth(charset.shown(before)), row: row) }
  }

  /// Paints the reason for an empty list.
  func paint(_ problem: WireError, offersSamples: Bool = false) {
    let text = problem.code == .unavailable ? Strings.noData(problem.data?.phase, problem.data?.done) : problem.message
    let width = layout.size.columns - 4
    let lines = charset.wrapped("! " + text, width: width)
    for (row, line) in zip(layout.body, lines) {
      picture.put(line, row: row, column: 2, width: width, Style(.problem))
    }
    guard offersSamples, problem.code == .unavailable else { return }
    let row = layout.body.lowerBound + lines.count + 1
    picture.put(Strings.offer, row: row, column: 2, width: width)
  }

  /// Marks screen rows as selected, by a sign, by their style, and by the terminal's cursor.
  ///
  /// Screen readers and magnifiers follow the cursor. Therefore the caret of the filter is only drawn.
  func select(_ rows: Range<Int>, columns: Int) {
    if let caret = picture.cursor {
      picture.restyle(row: caret.row, columns: caret.column..<caret.column + 1) { $0.isSelected = true }
    }
    picture.cursor = MapCell(column: 0, row: rows.lowerBound)
    picture.put(">", row: rows.lowerBound, column: 0, Style(.strong))
    for row in rows { picture.restyle(row: row, columns: 0..<columns) { $0.isSelected = true } }
  }
}
