internal import Text

/// Paints what the browser knows; the same state gives the same picture.
///
/// An instance belongs to one thread.
final class Painter {
  let charset: Charset
  let folder = Folder()

  /// Paints with the characters of `charset`.
  init(_ charset: Charset) { self.charset = charset }

  /// The picture of a state.
  func picture(of browser: Browser) -> Picture {
    var picture = Picture(browser.layout.size, charset)
    guard browser.layout.size.isEnough else {
      picture.put(Words.tooSmall(browser.layout.size), row: 0, column: 0)
      return picture
    }
    paintTabs(browser, &picture)
    paint(browser.cities, browser, &picture)
    paintStatus(browser, &picture)
    if case .keys(let line) = browser.overlay { paintKeys(from: line, browser, &picture) }
    return picture
  }

  private func paintTabs(_ browser: Browser, _ picture: inout Picture) {
    let row = browser.layout.tabs
    picture.put("[\(Words.cities)]", row: row, column: 1, Style(.heading))
    picture.put(Words.keysHint, row: row, endingAt: browser.layout.size.columns - 1, Style(.faint))
  }

  private func paintStatus(_ browser: Browser, _ picture: inout Picture) {
    let row = browser.layout.status
    let width = browser.layout.size.columns - 2
    switch browser.link {
    case .lost(let reason):
      picture.put("! " + Words.lost(reason), row: row, column: 1, width: width, Style(.problem))
    case .connected(isSlow: true):
      picture.put(Words.waiting, row: row, column: 1, width: width, Style(.faint))
    case .connected(isSlow: false):
      picture.put(fitting(hints(browser), width), row: row, column: 1, Style(.faint))
    }
  }

  private func hints(_ browser: Browser) -> [String] {
    if browser.cities.view == .details { return Words.detailsHints }
    if browser.purpose == .pick { return Words.pickHints }
    return browser.cities.isTyping ? Words.typingHints : Words.commandHints
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

  private func paintKeys(from line: Int, _ browser: Browser, _ picture: inout Picture) {
    let layout = browser.layout
    picture.clear(rows: layout.body, columns: 0..<layout.size.columns)
    picture.cursor = nil
    let column = layout.isWide ? 3 + (Words.keys.map(\.keys.count).max() ?? 0) : 3
    let shown = Words.keys[min(line, layout.lastKeyLine)...]
    for (index, entry) in shown.enumerated() {
      let row = layout.body.lowerBound + index * layout.rowsPerKey
      guard layout.body.contains(row + layout.rowsPerKey - 1) else { return }
      picture.put(entry.keys, row: row, column: 1, Style(.strong))
      picture.put(entry.does, row: row + layout.rowsPerKey - 1, column: column)
    }
  }
}
