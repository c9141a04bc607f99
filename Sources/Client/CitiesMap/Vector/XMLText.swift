/// `text` as XML's character data or attribute value (XML 1.0 §2.4): markup is escaped, and what XML cannot hold at all
/// becomes U+FFFD.
///
/// Left out are C1 controls and DEL, which XML allows and discourages, and the characters that turn the direction of what
/// follows (Unicode Standard Annex 9): a name must not change how the rest of the picture reads.
///
/// - Complexity: O(n).
func xmlText(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    case "\t", "\n", "\r": result += " "
    case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
    case _ where scalar.isDropped: continue
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

extension Unicode.Scalar {
  /// DEL and C1 (ECMA-48), and the marks, embeddings, overrides and isolates of bidirectional text.
  fileprivate var isDropped: Bool {
    switch value {
    case 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
