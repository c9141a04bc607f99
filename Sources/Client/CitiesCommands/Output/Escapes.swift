import CBORTools
internal import System

/// Escapes that make foreign text safe in each format. Every function appends to bytes that are written later.
extension [UInt8] {
  /// Appends a value of a tsv row: `\t`, `\n`, `\r` and `\\` for TAB, LF, CR and the backslash, and `\u009c` for any
  /// other control character (C0, DEL and C1).
  ///
  /// On a terminal the other characters that act on it are written as `\u202e` too, and invisible ones are left out.
  package mutating func appendTSV(_ text: String, onTerminal: Bool = false) {
    var text = onTerminal ? withoutInvisible(text) : text
    let isPlain = text.withUTF8 { bytes in
      guard !bytes.contains(where: { $0.mayActOnTerminal || $0 == UInt8(ascii: "\\") }) else { return false }
      append(contentsOf: bytes)
      return true
    }
    guard !isPlain else { return }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": append(contentsOf: #"\t"#.utf8)
      case "\n": append(contentsOf: #"\n"#.utf8)
      case "\r": append(contentsOf: #"\r"#.utf8)
      case "\\": append(contentsOf: #"\\"#.utf8)
      case _ where scalar.isControl || (onTerminal && scalar.actsOnTerminal): appendUnicodeEscape(scalar)
      default: append(contentsOf: scalar.utf8)
      }
    }
  }

  /// Appends a value of a csv row (RFC 4180 §2): in quotes where a separator, a quote or a line break is in it.
  ///
  /// TAB, LF and CR stay as they are; any other control character is written as `\u009c`. A backslash stays one.
  package mutating func appendCSV(
    _ text: String, separator: UInt8 = UInt8(ascii: ","), onTerminal: Bool = false
  ) {
    let start = count
    append(contentsOf: (onTerminal ? visible(text) : withoutControls(text)).utf8)
    quoteCSV(from: start, separator: separator)
  }

  /// Puts the bytes from `start` on, a value of a csv row, in quotes where a separator, a quote or a line break is in
  /// them.
  package mutating func quoteCSV(from start: Int, separator: UInt8) {
    let quote = UInt8(ascii: "\"")
    guard
      self[start...].contains(where: { $0 == quote || $0 == separator || $0 == 0x0A || $0 == 0x0D })
    else { return }
    let value = Array(self[start...])
    removeSubrange(start...)
    append(quote)
    for byte in value {
      if byte == quote { append(byte) }
      append(byte)
    }
    append(quote)
  }

  /// Appends a value as JSON; absent is `null`.
  mutating func appendJSON(_ cell: RowValue) {
    switch cell {
    case .text, .amount: appendJSON(cell.plain)
    case .parts(_, let json): appendJSON(json)
    case .absent: append(contentsOf: "null".utf8)
    case .count, .number, .flag: append(contentsOf: cell.plain.utf8)
    }
  }
}

/// `text` without invisible characters, and with everything that would act on a terminal written as `\u009c`.
///
/// - Complexity: O(n).
package func visible(_ text: String) -> String { terminalSafe(text) }

/// `text` as ``visible(_:)`` shows it, with its line feeds as they are.
///
/// - Complexity: O(n).
func visibleLines(_ text: String) -> String { escaped(withoutInvisible(text)) { $0.actsOnTerminal && $0 != "\n" } }

/// `text` on one line, for messages: its lines with semicolons between them, empty ones left out.
///
/// - Complexity: O(n).
func joinedLines(_ text: String) -> String {
  guard text.utf8.contains(where: \.mayActOnTerminal), text.contains(where: \.isNewline) else { return text }
  return text.split(whereSeparator: \.isNewline).map { line in
    line.drop(while: \.isWhitespace)
  }.filter { !$0.isEmpty }.joined(separator: "; ")
}

/// `text` with `\u0000` for each NUL, which ends a row where rows end with NUL.
///
/// - Complexity: O(n).
func withoutNULs(_ text: String) -> String { escaped(text) { $0 == "\0" } }

/// `text` with control characters other than TAB, LF and CR written as `\u009c`.
private func withoutControls(_ text: String) -> String {
  escaped(text) { $0.isControl && $0 != "\t" && $0 != "\n" && $0 != "\r" }
}

/// The character encoding of the user's locale.
package enum LocaleCodeset {
  /// Whether it is UTF-8.
  ///
  /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty decides (POSIX, "Environment Variables"); without
  /// any it is the POSIX locale, which knows ASCII alone. Some names say nothing of the encoding; the end of the name
  /// decides if the locale is not installed.
  package static func isUTF8(_ environment: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    let codeset = locale.split(separator: ".").dropFirst().first?.prefix { !$0.is("@") }.lowercased() ?? ""
    if codeset == "utf-8" || codeset == "utf8" { return true }
    return !["", "C", "POSIX"].contains(locale) && isLocaleUTF8(locale)
  }
}
