extension Unicode.Scalar {
  /// Whether a terminal obeys it instead of showing it: C0, DEL, C1 (ECMA-48), line and paragraph separators, and
  /// the marks that turn the direction of what follows (Unicode Standard Annex 9).
  package var actsOnTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

/// `text` with every scalar that acts on a terminal escaped as `\u009c`: safe to print wherever a terminal may read it.
///
/// - Complexity: O(*n*); returns `text` itself if there is nothing to escape.
package func terminalSafe(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.actsOnTerminal) else { return text }
  var bytes: [UInt8] = []
  for scalar in text.unicodeScalars {
    if scalar.actsOnTerminal { bytes.appendUnicodeEscape(scalar) } else { bytes.append(contentsOf: scalar.utf8) }
  }
  return String(decoding: bytes, as: UTF8.self)
}
