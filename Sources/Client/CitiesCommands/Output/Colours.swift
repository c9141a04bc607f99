internal import Text

/// The parts of output that have a look of their own on a terminal.
package enum Look: String, CaseIterable {
  /// The head line of a table.
  case head
  /// The name of a row, and a heading above rows.
  case title
  /// The part of a name that was typed.
  case match
  /// What programs need and people copy: ids, codes, coordinates.
  case id
  /// The unit of a number.
  case unit
  /// A location that is open.
  case open
  /// A location that is closed.
  case closed
  /// A check without a problem.
  case ok
  /// A remark that asks for nothing.
  case note
  /// Old data.
  case stale
  /// A failure.
  case failed

  /// Parameters of SGR (ECMA-48 §8.3.117): attributes and the first eight colours only, whose shades the terminal
  /// chooses, so that they are legible on a light and on a dark ground.
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

/// How each ``Look`` is written: the built-in parameters, or those of `CITIES_COLORS`.
package struct Colours {
  /// The variable: `title=1;34:id=90`, as in `LS_COLORS` of dircolors(1).
  static let variable = "CITIES_COLORS"
  /// The names that it may have, for people.
  static let names = Look.allCases.map(\.rawValue).joined(separator: ", ")
  /// Bytes of a value at most.
  private static let longestValue = 32

  private var parameters = Dictionary(uniqueKeysWithValues: Look.allCases.map { ($0, $0.usual) })
  /// The parts of the variable that name no look, or whose value is not numbers between semicolons.
  private(set) var invalid: [String] = []

  /// The built-in looks, changed by `value`.
  init(_ value: String? = nil) {
    for part in (value ?? "").split(separator: ":") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if let look = Look(rawValue: String(sides[0])), sides.count == 2, Self.isValid(sides[1]) {
        parameters[look] = String(sides[1])
      } else {
        invalid.append(String(part))
      }
    }
  }

  private static func isValid(_ value: Substring) -> Bool {
    value.utf8.count <= longestValue && value.utf8.allSatisfy { $0 == UInt8(ascii: ";") || (0x30...0x39).contains($0) }
  }

  /// `text` in the look of all `looks`; as it is if their parameters are empty.
  func painted(_ text: some StringProtocol, _ looks: Look...) -> String {
    let all = looks.compactMap { parameters[$0] }.filter { !$0.isEmpty }.joined(separator: ";")
    return all.isEmpty || text.isEmpty ? String(text) : "\u{1B}[\(all)m\(text)\u{1B}[0m"
  }
}

/// Finds the part of a name that was typed.
struct MatchedPart {
  private let folder: CaseFolder
  /// The key of the query, then keys of its first words: the last words may name an area.
  private let keys: [[UInt8]]

  /// For what was typed.
  init(_ query: String) {
    let (folder, words) = (CaseFolder(), query.split(separator: " "))
    self.folder = folder
    keys = words.indices.reversed().map { last in
      folder.folded(words[...last].joined(separator: " "), .baseLetters)
    }
  }

  /// How many characters at the start of `name` were typed; 0 if the name does not start with them.
  ///
  /// - Complexity: O(words × bytes) of the query.
  func count(in name: String) -> Int {
    for key in keys {
      if let count = folder.matchedPrefix(of: name, query: key, .baseLetters) { return count }
    }
    return 0
  }
}
