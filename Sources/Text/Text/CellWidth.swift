@_exported public import Base
import CUTF8Proc

/// The columns that a text takes on a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks.
///
/// Control characters count 0; escape them before printing untrusted text. Widths are those of wcwidth(3), which
/// ncurses uses, summed by scalar, so that a joined emoji is as wide as its parts.
///
/// - Complexity: O(n) in the bytes of `text`.
public func cellWidth(_ text: some StringProtocol) -> Int {
  text.unicodeScalars.reduce(0) { $0 + cellWidth($1) }
}

private func cellWidth(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.value {
  case 0x20...0x7E: return 1
  // Where the C library differs from utf8proc: Hangul vowels and finals join their consonant, signs of Arabic, Syriac
  // and Kaithi enclose the digits that follow them, and the numbers in squares and hexagrams of East Asia are wide.
  case 0x1160...0x11FF, 0xD7B0...0xD7C6, 0xD7CB...0xD7FB: return 0
  case 0x0600...0x0605, 0x06DD, 0x070F, 0x0890...0x0891, 0x08E2, 0x110BD, 0x110CD: return 1
  case 0x3248...0x324F, 0x4DC0...0x4DFF: return 2
  default:
    let width = Int(utf8proc_charwidth(Int32(scalar.value)))
    // Vowel signs that are written beside their letter have a cell of their own.
    return utf8proc_category(Int32(scalar.value)) == UTF8PROC_CATEGORY_MC ? max(width, 1) : width
  }
}

/// `text` in lines of at most `width` cells, broken at spaces; a wider word has a line of its own.
///
/// Lines after the first start with `indent`; `measure` returns the width of a text in cells.
///
/// - Complexity: O(n) in the length of `text`, times the words of a line.
public func wrapped(
  _ text: String, width: Int, indent: String = "", by measure: (String) -> Int = { cellWidth($0) }
) -> [String] {
  if measure(text) <= width { return [text] }
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ", omittingEmptySubsequences: false) {
    let longer = line.isEmpty ? String(word) : "\(line) \(word)"
    if measure(longer) <= width || line.isEmpty {
      line = longer
    } else {
      lines.append(line)
      line = indent + word
    }
  }
  return lines + [line]
}

extension CaseFolder {
  /// How many characters of `title` a folded query covers, for highlighting; `nil` if the title does not start with it.
  ///
  /// A query that ends within the folding of a character covers the whole character: of `Straße`, the query `stras`
  /// covers `Straß`. Combining marks are part of their character.
  ///
  ///     folder.matchedPrefix(of: "São Paulo", query: Array("sao p".utf8), .baseLetters)   // 5
  ///
  /// - Complexity: O(n) in the length of `query`.
  public func matchedPrefix(of title: String, query: some Sequence<UInt8>, _ mode: FoldMode) -> Int? {
    var rest = query.makeIterator()
    var next = rest.next()
    var characters = 0
    for character in title {
      if next == nil { break }
      // Characters can be folded one by one: composition never crosses a grapheme boundary.
      for byte in folded(String(character), mode) {
        guard let expected = next else { break }
        guard byte == expected else { return nil }
        next = rest.next()
      }
      characters += 1
    }
    return next == nil ? characters : nil
  }
}
