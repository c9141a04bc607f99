internal import Text

/// A drawn map: cells with a character and its layer, ready to be painted.
package struct MapPicture: Hashable, Sendable {
  /// The layer of a cell's character, which determines colour and emphasis.
  package enum Layer: Hashable, Sendable {
    /// Empty, a space.
    case ground
    /// The grid of meridians and parallels, which replaces inaccurate outlines; to be painted dim.
    case grid
    /// A border between countries; to be painted dim.
    case border
    /// A coast.
    case coast
    /// Land, to be painted dim.
    case land
    /// Highlighted land with its coast: a country, or where it is day.
    case brightLand
    /// The sign of a mark.
    case mark(MapMark.Kind)
    /// The sign of the map's subject.
    case chosenMark(MapMark.Kind)
    /// The label of a mark.
    case label
    /// The label of the map's subject.
    case chosenLabel
    /// The coordinates of the grid.
    case text
  }

  /// One cell.
  package struct Cell: Hashable, Sendable {
    /// A character with its combining marks, a space, or empty after a character that is two cells wide.
    package var text: String
    /// The layer of the character.
    package var layer: Layer

    /// A space.
    package static let blank = Cell(text: " ", layer: .ground)
  }

  /// The size in cells.
  package let size: MapSize
  private var cells: [Cell]

  init(size: MapSize) {
    self.size = size
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// The cell at a place in the picture.
  package internal(set) subscript(column: Int, row: Int) -> Cell {
    get { cells[row * size.columns + column] }
    set { cells[row * size.columns + column] = newValue }
  }

  /// The cells of a row, left to right.
  package func row(_ row: Int) -> ArraySlice<Cell> { cells[row * size.columns..<(row + 1) * size.columns] }

  /// The rows as text, without layers and trailing spaces.
  package var lines: [String] {
    (0..<size.rows).map { row in
      var line = self.row(row).map(\.text).joined()
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}

/// The characters for drawing, depending on the terminal.
package enum Charset: Hashable, Sendable, CaseIterable {
  /// Unicode; maps use Braille patterns, two by four dots per cell (U+2800 and up).
  case unicode
  /// ASCII only, for terminals without UTF-8.
  case ascii
}

extension MapPicture {
  /// Paints the dots of three rasters; `bright` has a value per cell and highlights land.
  ///
  /// Land without a coast or border is a sparse lattice of dots; highlighted land is solid.
  mutating func paint(
    _ coasts: DotCanvas, over borders: DotCanvas, on land: DotCanvas, bright: [Bool]?, _ characters: Charset
  ) {
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let (coast, border, lattice) = (
          coasts[column, row], borders[column, row], land[column, row] & characters.lattice
        )
        let (dots, layer): (UInt8, Layer) =
          switch bright?[row * size.columns + column] {
          case true?: (coast | land[column, row], .brightLand)
          case false? where border == 0 || coast != 0: (coast | lattice, .land)
          default: coast | border == 0 ? (lattice, .land) : (coast | border, coast == 0 ? .border : .coast)
          }
        guard dots != 0 else { continue }
        self[column, row] = Cell(text: characters.text(dots, isFaint: layer != .coast), layer: layer)
      }
    }
  }

  /// Paints the dots of a raster.
  mutating func paint(_ dots: DotCanvas, as layer: Layer, _ characters: Charset) {
    for row in 0..<size.rows {
      for column in 0..<size.columns where dots[column, row] != 0 {
        self[column, row] = Cell(text: characters.text(dots[column, row], isFaint: true), layer: layer)
      }
    }
  }

  /// Writes a text from a cell on, cut at the end of the row.
  mutating func write(_ text: MapText, at first: MapCell, _ layer: Layer) {
    guard (0..<size.rows).contains(first.row) else { return }
    for (offset, cell) in text.cells.enumerated() where (0..<size.columns).contains(first.column + offset) {
      self[first.column + offset, first.row] = Cell(text: cell, layer: layer)
    }
  }

  /// Paints signs and labels, the most important on top.
  mutating func paint(_ marks: [PlacedMark], _ characters: Charset) {
    for placed in marks.reversed() {
      let (mark, cell) = (placed.mark, placed.unit)
      if mark.isChosen { paintBrackets(around: cell) }
      self[cell.column, cell.row] = Cell(
        text: mark.kind.sign(characters), layer: mark.isChosen ? .chosenMark(mark.kind) : .mark(mark.kind))
      guard let label = placed.label else { continue }
      write(
        label.text, at: MapCell(column: label.box.column, row: label.box.row), mark.isChosen ? .chosenLabel : .label)
      clearGaps(of: label)
    }
  }

  /// Clears land and outlines at both ends of a label.
  private mutating func clearGaps(of label: PlacedLabel) {
    for column in [label.box.column - 1, label.box.column + label.box.columns] where (0..<size.columns) ~= column {
      switch self[column, label.box.row].layer {
      case .land, .brightLand, .coast, .border, .grid: self[column, label.box.row] = .blank
      case .ground, .text, .mark, .chosenMark, .label, .chosenLabel: break
      }
    }
  }

  private mutating func paintBrackets(around cell: MapCell) {
    for (offset, text) in [(-1, "["), (1, "]")] where (0..<size.columns).contains(cell.column + offset) {
      self[cell.column + offset, cell.row] = Cell(text: text, layer: .chosenLabel)
    }
  }
}

extension Charset {
  /// The dots of a land cell; none in ASCII, whose characters would look like borders.
  fileprivate var lattice: UInt8 { self == .unicode ? 0x05 : 0 }

  /// The character for the dots of a cell; faint lines use lighter ones in ASCII.
  func text(_ dots: UInt8, isFaint: Bool) -> String {
    switch self {
    case .unicode: Unicode.Scalar(0x2800 + UInt32(dots)).map { String($0) } ?? " "
    case .ascii: Self.ascii(dots, isFaint: isFaint)
    }
  }

  /// Upper dots are the bits 0, 1, 3 and 4; the others are below the middle.
  private static func ascii(_ dots: UInt8, isFaint: Bool) -> String {
    let (upper, lower) = (dots & 0b0001_1011 != 0, dots & 0b1110_0100 != 0)
    if isFaint { return upper && lower ? ":" : upper ? "'" : "." }
    return upper && lower ? "#" : upper ? "\"" : "_"
  }
}

extension MapDrawing {
  /// `text` as a label shows it.
  package func shown(_ text: String) -> String { MapText(text, characters).cells.joined() }
}

/// A text as cells: a character each, with an empty cell after every wide character.
struct MapText {
  /// The most combining marks of a character; more would only pile up.
  private static let maximumMarks = 4

  /// The cells, left to right.
  private(set) var cells: [String] = []

  /// Lays out `text`; control characters become question marks, line breaks spaces, and invisible ones are dropped.
  ///
  /// In ASCII, accents are dropped, and remaining non-ASCII characters become question marks.
  init(_ text: String, _ characters: Charset) {
    var marks = 0
    let transliterator = characters == .ascii ? ASCIITransliterator() : nil
    for scalar in withoutInvisible(text).unicodeScalars {
      let shown = transliterator.map { Self.ascii(scalar, $0) } ?? Self.harmless(scalar)
      switch cellWidth(shown) {
      case 0:
        marks += 1
        if marks <= Self.maximumMarks, let last = cells.lastIndex(where: { !$0.isEmpty }) { cells[last] += shown }
        continue
      case 1: cells.append(shown)
      // A letter may become two ASCII letters; other wide characters take two cells.
      default: cells += characters == .ascii ? shown.map { String($0) } : [shown, ""]
      }
      marks = 0
    }
  }

  /// Shortens it to at most `count` cells, with an ellipsis if anything is cut.
  mutating func cut(to count: Int, _ characters: Charset) {
    guard cells.count > count else { return }
    cells = Array(cells.prefix(max(0, count - 1)))
    // Half of a wide character cannot be shown.
    if let last = cells.last, cellWidth(last) == 2 { cells[cells.count - 1] = " " }
    if count > 0 { cells.append(characters == .ascii ? "~" : "…") }
  }

  private static func harmless(_ scalar: Unicode.Scalar) -> String {
    if scalar.properties.isWhitespace { return " " }
    return scalar.actsOnTerminal ? "?" : String(scalar)
  }

  /// ASCII for a scalar; empty for a mark.
  private static func ascii(_ scalar: Unicode.Scalar, _ transliterator: ASCIITransliterator) -> String {
    scalar.isASCII ? harmless(scalar) : transliterator.ascii(scalar)
  }
}
