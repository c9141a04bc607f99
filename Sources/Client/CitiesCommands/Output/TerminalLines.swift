internal import System
internal import Text

/// Wraps lines of `text` that are wider than the terminal at `descriptor` at spaces.
///
/// The terminal itself would break words. Continuation lines are indented by `indent` more spaces. Without a terminal,
/// the text stays unchanged. Commands that people copy must not be passed to this function.
///
/// - Complexity: O(n) in the length of the text.
/// - Complexity: O(n) in the length of the text.
func terminalLines(_ text: String, to descriptor: Int32, indent hanging: Int = 2) -> String {
  guard let width = TerminalSize(descriptor: descriptor)?.columns else { return text }
  let blanks = String(repeating: " ", count: hanging)
  return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
    let indent = String(line.prefix { $0.is(" ") })
    let lines = wrapped(String(line.dropFirst(indent.count)), width: width - indent.count, indent: blanks)
    return lines.map { indent + $0 }
  }.joined(separator: "\n")
}

extension OutputStream {
  /// Appends lines for people, wrapped to the width of the terminal.
  func write(page: String) { write(terminalLines(page, to: descriptor)) }
}
