internal import System
internal import Text

/// A page about one item, for people: its title, followed by facts, each after a label.
///
/// Lines are as wide as the terminal: longer facts are continued on lines of their own.
package struct FactPage {
  /// The number of cells before a fact: the indentation and the label.
  private static let labelWidth = 16
  /// The number of cells from which a line has room for a picture.
  private static let leastWidthBesidePicture = 80
  /// The number of cells between the facts and the picture.
  private static let gap = 2

  private let title: String
  private var facts: [(label: String, lines: [String], look: Look?)] = []

  /// Creates a page without facts.
  package init(_ title: String) { self.title = title }

  /// Adds a fact with its non-empty lines; adds nothing if there are none.
  package mutating func add(_ label: String, _ lines: String?..., look: Look? = nil) {
    add(label, lines.compactMap(\.self), look: look)
  }

  /// Adds a fact with its non-empty lines.
  package mutating func add(_ label: String, _ lines: [String], look: Look? = nil) {
    let lines = lines.filter { !$0.isEmpty }
    if !lines.isEmpty { facts.append((label, lines, look)) }
  }

  /// The lines, none wider than `width`; if there is room, `picture` returns lines to show beside them, in the number
  /// of cells that it is passed.
  package func lines(
    width: Int?, colours: Colours?, beside picture: ((Int) throws -> [String])? = nil
  ) throws -> [String] {
    guard let width, let picture, width >= Self.leastWidthBesidePicture else {
      return layOut(width, colours).map(\.text)
    }
    let columns = width * 2 / 5
    let left = layOut(width - columns - Self.gap, colours)
    let right = try picture(columns)
    return (0..<max(left.count, right.count)).map { row in
      let (text, cells) = row < left.count ? left[row] : ("", 0)
      guard row < right.count, !right[row].isEmpty else { return text }
      return text + String(repeating: " ", count: max(1, width - columns - cells)) + right[row]
    }
  }

  /// The lines, with the number of cells in each.
  private func layOut(_ width: Int?, _ colours: Colours?) -> [(text: String, cells: Int)] {
    let room = width.map { max(1, $0 - Self.labelWidth) } ?? .max
    let title = visible(title)
    var lines = [(colours?.painted(title, .title) ?? title, cellWidth(title))]
    for fact in facts {
      let texts = fact.lines.flatMap { wrapped(visible($0), width: room) }.flatMap { pieces(of: $0, room) }
      for (index, text) in texts.enumerated() {
        let label = index == 0 ? fact.label : ""
        let blanks = String(repeating: " ", count: max(1, Self.labelWidth - 2 - cellWidth(label)))
        let line = "  \(colours?.painted(label, .head) ?? label)\(blanks)"
        let value = fact.look.flatMap { colours?.painted(text, $0) } ?? text
        lines.append((line + value, 2 + cellWidth(label + blanks) + cellWidth(text)))
      }
    }
    return lines
  }
}

/// Splits a word wider than `width` into parts that fit.
private func pieces(of text: String, _ width: Int) -> [String] {
  guard cellWidth(text) > width else { return [text] }
  return text.reduce(into: [""]) { pieces, character in
    if cellWidth(pieces[pieces.count - 1] + String(character)) > width { pieces.append("") }
    pieces[pieces.count - 1].append(character)
  }
}

extension Context {
  /// Writes a page, with the lines of `picture` beside it if the terminal is wide enough.
  package func write(_ page: FactPage, beside picture: ((Int) throws -> [String])? = nil) throws {
    let width = TerminalSize(descriptor: output.descriptor)?.columns
    for line in try page.lines(width: width, colours: colours(rendering.color), beside: picture) {
      output.write(line + "\n")
    }
    try output.flush()
  }
}
