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
      picture.put(hint(browser), row: row, column: 1, width: width, Style(.faint))
    }
  }

  private func hint(_ browser: Browser) -> String {
    if browser.purpose == .pick { return Words.pickHint }
    if browser.cities.view == .details { return Words.detailsHint }
    return browser.cities.isTyping ? Words.typingHint : Words.commandsHint
  }

  private func paintKeys(from line: Int, _ browser: Browser, _ picture: inout Picture) {
    let body = browser.layout.body
    picture.clear(rows: body, columns: 0..<browser.layout.size.columns)
    picture.cursor = nil
    let column = Words.keys.map(\.keys.count).max() ?? 0
    let first = min(line, max(0, Words.keys.count - body.count))
    for (row, entry) in zip(body, Words.keys[first...]) {
      picture.put(entry.keys, row: row, column: 1, Style(.strong))
      picture.put(entry.does, row: row, column: 3 + column)
    }
  }
}
