internal import Text

extension Charset {
  /// `text` in lines of at most `width` cells, broken at blanks; a word that is wider is cut when it is painted.
  func wrapped(_ text: String, width: Int) -> [String] {
    let text = shown(text)
    if cellWidth(text) <= width { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      if cellWidth(longer) <= width || line.isEmpty {
        line = longer
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return lines + [line]
  }
}
