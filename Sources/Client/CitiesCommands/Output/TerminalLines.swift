internal import System
internal import Text

/// `text` for people, with lines that are wider than the terminal at `descriptor` broken at spaces.
///
/// The terminal itself breaks them within words. What continues a line is indented by `indent` more spaces. If the
/// descriptor is not a terminal, the text stays as it is, as do commands that people copy: these are never given to
/// this function.
///
/// - Complexity: O(n) in the length of the text.
func terminalLines(_ text: String, to descriptor: Int32, indent hanging: Int = 2) -> String {
  guard let width = TerminalSize(descriptor: descriptor)?.columns else { return text }
  let blanks = String(repeating: " ", count: hanging)
  return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
    let indent = String(line.prefix { $0 == " " })
    let lines = wrapped(String(line.dropFirst(indent.count)), width: width - indent.count, indent: blanks)
    return lines.map { indent + $0 }
  }.joined(separator: "\n")
}

extension OutputStream {
  /// Collects lines for people, as wide as the terminal allows.
  func write(page: String) { write(terminalLines(page, to: descriptor)) }
}
