import CUTF8Proc

/// The columns that a text takes on a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks.
///
/// Control characters count 0; escape them before printing untrusted text. Widths are summed by scalar, as by
/// wcwidth(3) and terminals, so that a joined emoji is as wide as its parts.
///
/// - Complexity: O(n) in the bytes of `text`.
public func cellWidth(_ text: some StringProtocol) -> Int {
  text.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? asciiWidth($1) : Int(utf8proc_charwidth(Int32($1.value)))) }
}

private func asciiWidth(_ scalar: Unicode.Scalar) -> Int {
  scalar.value >= 0x20 && scalar.value != 0x7F ? 1 : 0
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
