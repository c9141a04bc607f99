extension Unicode.Scalar {
  /// Whether a terminal interprets it instead of showing it: C0, DEL, C1 (ECMA-48), line and paragraph separators, and
  /// the marks that change the direction of the text (Unicode Standard Annex 9).
  package var actsOnTerminal: Bool {
    switch value {
    case 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: isControl
    }
  }

  /// Whether it is a control character: C0, DEL or C1 (ECMA-48).
  package var isControl: Bool { value < 0x20 || (0x7f..<0xa0).contains(value) }

  /// Whether people do not see it, although programs read it: what shows nothing by default (Unicode Standard Annex
  /// 44, Default_Ignorable_Code_Point), such as tags, variation selectors and zero-width characters, and annotations.
  package var isInvisible: Bool {
    !actsOnTerminal && value > 0xa0 && (properties.isDefaultIgnorableCodePoint || (0xfff9...0xfffb).contains(value))
  }

  /// Whether it is a letter or mark of a script that spells with U+200C and U+200D.
  fileprivate var isJoined: Bool {
    switch value {
    // Arabic to Sinhala, Myanmar, Khmer, Mongolian, Phags-pa to Devanagari, Arabic forms, Brahmi to Nandinagari, Adlam.
    case 0x600...0xdff, 0x1000...0x109f, 0x1780...0x18af, 0xa840...0xa8ff, 0xfb50...0xfdff, 0xfe70...0xfefc,
      0x11000...0x119ff, 0x1e900...0x1e95f:
      properties.isAlphabetic || properties.canonicalCombiningClass != .notReordered
    default: false
    }
  }

  /// The escape of JSON: `\u009c`.
  package var jsonEscape: String { "\\u" + hexadecimal(UInt64(value), digits: 4) }

  /// The escape of a Swift literal: `\u{9C}`.
  package var swiftEscape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}

extension UInt8 {
  /// Whether the UTF-8 of a scalar that ``Unicode/Scalar/actsOnTerminal`` may start with this byte; most text has no
  /// such byte.
  @inlinable
  package var mayActOnTerminal: Bool { self < 0x20 || self == 0x7f || self == 0xc2 || self == 0xd8 || self == 0xe2 }

  /// Whether the UTF-8 of a scalar that ``Unicode/Scalar/isInvisible`` may start with this byte.
  package var mayBeInvisible: Bool {
    switch self {
    case 0xc2, 0xcd, 0xe1...0xe3, 0xef, 0xf0, 0xf3: true
    default: false
    }
  }
}

extension StringProtocol {
  /// A prefix for a message, measured in code points: a single character may have thousands of them.
  package func excerpt(_ scalars: Int) -> String { String(String.UnicodeScalarView(unicodeScalars.prefix(scalars))) }
}

/// `text` with an escape for every scalar that `isUnwanted`.
///
/// - Complexity: O(*n*); returns `text` itself if there is nothing to escape.
package func escaped(
  _ text: String, where isUnwanted: (Unicode.Scalar) -> Bool, as escape: (Unicode.Scalar) -> String = \.jsonEscape
) -> String {
  guard text.unicodeScalars.contains(where: isUnwanted) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isUnwanted(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
  }
  return result
}

/// `text` without its invisible scalars: people and programs read the same.
///
/// U+200C and U+200D stay where words are spelled with them: after a virama, and between letters of such a script.
/// - Complexity: O(*n*); returns `text` itself if there is nothing to remove.
package func withoutInvisible(_ text: String) -> String {
  guard text.utf8.contains(where: \.mayBeInvisible) else { return text }
  let scalars = Array(text.unicodeScalars)
  func isSpelled(_ index: Int) -> Bool {
    guard (0x200c...0x200d).contains(scalars[index].value), index > 0, scalars[index - 1].isJoined else { return false }
    return scalars[index - 1].properties.canonicalCombiningClass == .virama
      || index + 1 < scalars.count && scalars[index + 1].isJoined
  }
  let kept = scalars.indices.filter { !scalars[$0].isInvisible || isSpelled($0) }
  return kept.count == scalars.count ? text : String(String.UnicodeScalarView(kept.map { scalars[$0] }))
}

/// `text` without its invisible scalars, and with every scalar that acts on a terminal escaped as `\u009c`: safe to
/// print wherever a terminal may read it.
///
/// - Complexity: O(*n*); returns `text` itself if there is nothing to change.
package func terminalSafe(_ text: String) -> String { escaped(withoutInvisible(text), where: \.actsOnTerminal) }

/// Quotes `text` as one word of a command that people copy to a shell.
package func quotedForShell(_ text: String) -> String {
  let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@,"
  guard text.isEmpty || !text.allSatisfy(plain.contains) else { return text }
  let parts = text.split(separator: "'", omittingEmptySubsequences: false)
  return "'" + parts.joined(separator: "'\\''") + "'"
}
