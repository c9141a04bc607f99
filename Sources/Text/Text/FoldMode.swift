/// How text is folded before it is compared.
public enum FoldMode: Sendable, Hashable, CaseIterable {
  /// Full default case folding, then NFC: utf8proc's STABLE|COMPOSE|CASEFOLD. Diacritics stay significant.
  case plain
  /// ``plain``, then all marks stripped and the letters of ``baseLetter(of:)`` replaced, so `Łódź` becomes `lodz`.
  case baseLetters
}

/// The letters and apostrophes that Unicode does not decompose although a keyboard without them is common.
///
/// At most 16 lines by design: what is here must be obvious to everyone, a transliteration is another thing.
/// Keys are case-folded and decomposed already. A second letter of zero is none.
///
/// - Complexity: O(1), a jump table.
func baseLetter(of scalar: Int32) -> (first: UInt8, second: UInt8)? {
  switch scalar {
  case 0x00E6: (.init(ascii: "a"), .init(ascii: "e"))  // æ
  case 0x00F0: (.init(ascii: "d"), 0)  // ð
  case 0x00F8: (.init(ascii: "o"), 0)  // ø
  case 0x00FE: (.init(ascii: "t"), .init(ascii: "h"))  // þ
  case 0x0111: (.init(ascii: "d"), 0)  // đ
  case 0x0127: (.init(ascii: "h"), 0)  // ħ
  case 0x0131: (.init(ascii: "i"), 0)  // ı
  case 0x0142: (.init(ascii: "l"), 0)  // ł
  case 0x014B: (.init(ascii: "n"), 0)  // ŋ
  case 0x0153: (.init(ascii: "o"), .init(ascii: "e"))  // œ
  case 0x0167: (.init(ascii: "t"), 0)  // ŧ
  case 0x0259: (.init(ascii: "e"), 0)  // ə
  case 0x02BB, 0x02BC: (.init(ascii: "'"), 0)  // ʻ ʼ
  case 0x2018, 0x2019: (.init(ascii: "'"), 0)  // ‘ ’
  default: nil
  }
}
