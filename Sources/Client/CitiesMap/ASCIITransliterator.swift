internal import Text

/// Transliterates text to ASCII, for terminals that show nothing else.
///
/// Accents are dropped and the letters of ``FoldMode/baseLetters`` replaced, so `Łódź` becomes `Lodz` and `Straße`
/// `Strasse`; characters without an ASCII form become question marks. An instance belongs to one thread.
package final class ASCIITransliterator {
  private let folder = CaseFolder()

  /// Makes a transliterator.
  package init() {}

  /// `text` in printable ASCII; control characters become question marks too.
  ///
  /// - Complexity: O(n).
  package func ascii(_ text: some StringProtocol) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(text) }
    return text.unicodeScalars.map(ascii).joined()
  }

  /// Printable ASCII for a scalar; empty for a mark.
  package func ascii(_ scalar: Unicode.Scalar) -> String {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F ? String(scalar) : "?" }
    if let sign = Self.signs[scalar] { return sign }
    let base = String(decoding: folder.folded(String(scalar), .baseLetters), as: UTF8.self)
    if base.isEmpty || (cellWidth(String(scalar)) == 0 && !scalar.properties.isWhitespace) { return "" }
    if scalar.properties.isWhitespace { return " " }
    guard base.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return "?" }
    return scalar.properties.isUppercase ? base.prefix(1).uppercased() + base.dropFirst() : base
  }

  /// Punctuation in names that folding does not change.
  private static let signs: [Unicode.Scalar: String] = [
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "“": "\"", "”": "\"", "„": "\"", "→": "->", "·": "-", "´": "'",
    "′": "'", "…": "...",
  ]
}
