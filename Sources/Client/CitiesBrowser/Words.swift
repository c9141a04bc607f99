/// All words of the screen, in one place: English only for now.
enum Words {
  static let cities = "Cities"
  static let keysHint = "F1 keys"
  static let find = "Find:"
  static let folded = "any accents"
  static let plain = "exact accents"
  static let typingHints = ["Enter details", "Esc commands", "Ctrl-C leave"]
  static let commandHints = ["/ filter", "a accents", "Enter details", "? keys", "q leave"]
  static let detailsHints = ["Esc list", "Up/Down next", "? keys", "q leave"]
  static let pickHints = ["Enter pick", "Esc leave without"]
  static let nothingFound = "Nothing begins with this."
  static let waiting = "Waiting for the server ..."
  static let neighbours = "Nearby"

  static func tooSmall(_ size: ScreenSize) -> String {
    "\(size.columns)x\(size.rows) is too small: "
      + "\(ScreenSize.least.columns)x\(ScreenSize.least.rows) is the least"
  }
  static let noSignals = "the system gives no descriptor for signals"
  static func noScreen(_ error: TerminalError) -> String {
    switch error {
    case .absent: "this needs a terminal, and there is none; in a script take 'citiesctl search'"
    case .incapable(let type):
      "the terminal '\(type)' (TERM) cannot show a full screen; 'citiesctl search' works on any"
    }
  }
  static func unreadable(_ reason: String) -> String { "The server's answer cannot be read: \(reason)" }
  static func lost(_ reason: String) -> String { "\(reason); trying again ..." }
  static func count(_ count: Int) -> String { grouped(count) + (count == 1 ? " city" : " cities") }
  static func noData(_ phase: String?, _ done: Double?) -> String {
    "No data yet: \(phase ?? "loading")" + (done.map { " \(Int($0 * 100)) %" } ?? "")
  }

  /// The keys, and what each does.
  static let keys: [(keys: String, does: String)] = [
    ("letters", "typed into the filter"),
    ("Up Down PgUp PgDn", "through the list; the mouse wheel too"),
    ("Home End", "first and last"),
    ("Enter", "details of the selected city"),
    ("Esc", "back; in the filter: letters are commands"),
    ("/", "letters are typed into the filter again"),
    ("a", "accents count, or not"),
    ("l", "the list"),
    ("? F1", "these keys"),
    ("q Ctrl-C", "leave"),
    ("Alt-letter", "the command from anywhere, the filter too"),
    ("Ctrl-A Ctrl-E", "begin and end of the filter"),
    ("Ctrl-U Ctrl-W", "remove the filter, its last word"),
  ]

  /// A count with blanks between thousands.
  static func grouped(_ count: Int) -> String {
    var digits = String(count)
    var place = digits.utf8.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }
}
