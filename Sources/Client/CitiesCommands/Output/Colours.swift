internal import Text

/// The parts of output that are emphasized on a terminal.
package enum Look: String, CaseIterable {
  /// The header row of a table.
  case head
  /// The name of a row, and a heading above rows.
  case title
  /// The part of a name that matches the typed text.
  case match
  /// Values for programs and for copying: ids, codes, coordinates.
  case id
  /// The unit of a number.
  case unit
  /// A location that is open.
  case open
  /// A location that is closed.
  case closed
  /// A check without a problem.
  case ok
  /// A remark that requires no action.
  case note
  /// Old data.
  case stale
  /// A failure.
  case failed

  /// SGR parameters (ECMA-48 §8.3.117): only attributes and the first eight colours, whose shades the terminal defines,
  /// so that they are legible on a light and on a dark background.
  fileprivate var usual: String {
    switch self {
    case .head, .id, .unit, .closed: "2"
    case .title: "1"
    case .match: "4"
    case .open, .ok: "32"
    case .note: "36"
    case .stale: "33"
    case .failed: "31"
    }
  }
}

/// The SGR parameters of each ``Look``: built in, or from `CITIES_COLORS`.
package struct Colours {
  /// The environment variable: `title=1;34:id=90`, like `LS_COLORS` of dircolors(1).
  static let variable = "CITIES_COLORS"
  /// The valid names, for people.
  static let names = Look.allCases.map(\.rawValue).joined(separator: ", ")
  /// The maximum number of bytes of a value.
  private static let longestValue = 32

  private var parameters = Dictionary(uniqueKeysWithValues: Look.allCases.map { ($0, $0.usual) })
  /// The parts of the variable with an unknown name, or a value that is not numbers separated by semicolons.
  private(set) var invalid: [String] = []

  /// Creates the built-in looks, modified by `value`.
  init(_ value: String? = nil) {
    for part in (value ?? "").split(separator: ":") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if let look = Look(word: sides[0]), sides.count == 2, Self.isValid(sides[1]) {
        parameters[look] = String(sides[1])
      } else {
        invalid.append(String(part))
      }
    }
  }

  private static func isValid(_ value: Substring) -> Bool {
    value.utf8.count <= longestValue && value.utf8.allSatisfy { $0 == UInt8(ascii: ";") || (0x30...0x39).contains($0) }
  }

  /// `text` with all `looks`; unchanged if their parameters are empty.
  func painted(_ text: some StringProtocol, _ looks: Look...) -> String {
    let all = looks.compactMap { parameters[$0] }.filter { !$0.isEmpty }.joined(separator: ";")
    return all.isEmpty || text.isEmpty ? String(text) : "\u{1B}[\(all)m\(text)\u{1B}[0m"
  }
}

/// Finds the part of a name that matches the typed text.
struct MatchedPart {
  private let folder: CaseFolder
  /// The key of the query, then keys of its first words: the last words may name an area.
  private let keys: [[UInt8]]

  /// Prepares the matching of `query`.
  init(_ query: String) {
    let (folder, words) = (CaseFolder(), query.split(separator: " "))
    self.folder = folder
    keys = words.indices.reversed().map { last in
      folder.folded(words[...last].joined(separator: " "), .baseLetters)
    }
  }

  /// The number of characters at the start of `name` that match; 0 if the name does not start with the query.
  ///
  /// - Complexity: O(words × bytes) of the query.
  func count(in name: String) -> Int {
    keys.lazy.compactMap { folder.matchedPrefix(of: name, query: $0, .baseLetters) }.first ?? 0
  }
}
