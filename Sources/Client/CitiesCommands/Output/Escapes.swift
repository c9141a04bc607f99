internal import CBOR

/// How foreign text is made harmless for the format it stands in. Each function appends to bytes that are written later.
extension [UInt8] {
  /// Appends a value of a tsv row: `\t`, `\n`, `\r` and `\\` for TAB, LF, CR and the backslash.
  ///
  /// On a terminal all other control characters are written as `\u009c` too.
  mutating func appendTSV(_ text: String, onTerminal: Bool = false) {
    let needsCare = text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\\") || (onTerminal && $0 >= 0x7F) }
    guard needsCare else { return append(contentsOf: text.utf8) }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": append(contentsOf: #"\t"#.utf8)
      case "\n": append(contentsOf: #"\n"#.utf8)
      case "\r": append(contentsOf: #"\r"#.utf8)
      case "\\": append(contentsOf: #"\\"#.utf8)
      case _ where onTerminal && scalar.actsOnTerminal: appendUnicodeEscape(scalar)
      default: append(contentsOf: scalar.utf8)
      }
    }
  }

  /// Appends a value of a csv row (RFC 4180 §2): in quotes where a comma, a quote or a line break is in it.
  mutating func appendCSV(_ text: String, onTerminal: Bool = false) {
    let text = onTerminal ? visible(text) : text
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else {
      return append(contentsOf: text.utf8)
    }
    append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { append(byte) }
      append(byte)
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a value as JSON; absent is `null`.
  mutating func appendJSON(_ cell: Cell) {
    switch cell {
    case .text(let text): appendJSON(text)
    case .amount: appendJSON(cell.plain)
    case .parts(_, let json): appendJSON(json)
    case .absent: append(contentsOf: "null".utf8)
    case .count, .number, .flag: append(contentsOf: cell.plain.utf8)
    }
  }
}

/// `text` with everything that would act on a terminal written as `\u009c`.
///
/// - Complexity: O(n).
package func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.actsOnTerminal) else { return text }
  var bytes: [UInt8] = []
  for scalar in text.unicodeScalars {
    if scalar.actsOnTerminal { bytes.appendUnicodeEscape(scalar) } else { bytes.append(contentsOf: scalar.utf8) }
  }
  return String(decoding: bytes, as: UTF8.self)
}
