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

/// `text` with every scalar that acts on a terminal escaped as `\u009c`: safe to print wherever a terminal may read it.
///
/// - Complexity: O(*n*); returns `text` itself if there is nothing to escape.
package func terminalSafe(_ text: String) -> String { escaped(text, where: \.actsOnTerminal) }
