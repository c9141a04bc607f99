import Base
internal import CBOR
internal import Text

/// A text as cells: what each holds, with an empty one behind every character that is two cells wide.
struct MapText {
  /// Marks that a character may carry; more would only pile up.
  private static let maximumMarks = 4

  /// The cells, left to right.
  private(set) var cells: [String] = []

  /// Lays out `text`; what would act on a terminal becomes a question mark, line breaks a blank.
  ///
  /// With ASCII alone accents are taken off, and what is no ASCII then is a question mark, too.
  init(_ text: String, _ characters: MapCharacters) {
    var marks = 0
    for scalar in text.unicodeScalars {
      let shown = characters == .ascii ? Self.ascii(scalar) : Self.harmless(scalar)
      switch cellWidth(shown) {
      case 0:
        marks += 1
        if marks <= Self.maximumMarks, let last = cells.lastIndex(where: { !$0.isEmpty }) { cells[last] += shown }
        continue
      case 1: cells.append(shown)
      // A letter may be two of ASCII; everything else that is wide is a character of two cells.
      default: cells += characters == .ascii ? shown.map { String($0) } : [shown, ""]
      }
      marks = 0
    }
  }

  /// Takes it to at most `count` cells, with an ellipsis if anything was left out.
  mutating func cut(to count: Int, _ characters: MapCharacters) {
    guard cells.count > count else { return }
    cells = Array(cells.prefix(max(0, count - 1)))
    // The first half of a wide character cannot stand without its second.
    if let last = cells.last, cellWidth(last) == 2 { cells[cells.count - 1] = " " }
    if count > 0 { cells.append(characters == .ascii ? "~" : "…") }
  }

  private static func harmless(_ scalar: Unicode.Scalar) -> String {
    if scalar.properties.isWhitespace { return " " }
    return scalar.actsOnTerminal ? "?" : String(scalar)
  }

  /// ASCII for a scalar; empty for a mark.
  private static func ascii(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return harmless(scalar) }
    let base = String(decoding: Folder().folded(String(scalar), .baseLetters), as: UTF8.self)
    if base.isEmpty || cellWidth(String(scalar)) == 0 { return "" }
    guard base.utf8.allSatisfy({ $0 < 0x80 }) else { return "?" }
    return scalar.properties.isUppercase ? base.prefix(1).uppercased() + base.dropFirst() : base
  }
}
