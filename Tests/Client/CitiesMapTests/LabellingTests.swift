import CitiesProtocol
import TestSupport
import Testing
import Text

@testable import CitiesMap

@Suite struct LabellingTests {
  private static let size = MapSize(columns: 60, rows: 16)
  private let view = Viewport(centre: Position(lat: 0, lon: 0), metresPerDot: 1_000, size: size)

  private func drawing(_ marks: [MapMark], _ characters: Charset = .unicode) throws -> MapDrawing {
    MapDrawing(view: view, marks: marks, outlines: Outlines(MadeUpOutlines.small), characters: characters)
  }

  private func mark(
    _ column: Int, _ row: Int, _ label: String, kind: MapMark.Kind = .city, chosen: Bool = false, optional: Bool = false
  ) throws -> MapMark {
    let place = try #require(view.position(of: MapCell(column: column, row: row)))
    return MapMark(at: place, kind: kind, label: label, isChosen: chosen, needsLabel: optional)
  }

  @Test func `a label stands to the right else to the left else above else below`() throws {
    let marks = try [mark(20, 8, "right"), mark(24, 9, "x"), mark(57, 8, "left"), mark(59, 12, "")]
    let sides = Labelling(try drawing(marks)).placed.map(\.label?.side)
    #expect(sides == [.right, .right, .left, nil])
    // Signs on both sides leave the rows above and below.
    let crowded = try [mark(30, 8, "middle"), mark(33, 8, ""), mark(27, 8, "")]
    #expect(Labelling(try drawing(crowded)).placed[0].label?.side == .above)
    #expect(Labelling(try drawing(crowded + [mark(30, 7, "")])).placed[0].label?.side == .below)
  }

  @Test func `the names of a capital and of large cities stand beside the signs of banks`() throws {
    let banks = try (0..<3).map { try mark(28 + 2 * $0, 8, "branch \($0)", kind: .branch) }
    let marks =
      try banks + [
        mark(5, 2, "A", optional: true), mark(9, 3, "B", optional: true),
        mark(30, 8, "Capital", kind: .capital, optional: true),
      ]
    let placed = Labelling(try drawing(marks)).placed
    #expect(placed.filter { $0.label != nil }.map(\.mark.label).contains("Capital"))
    #expect(placed.filter { $0.mark.kind == .branch }.count == 3)
  }

  @Test func `a label near an edge is moved inwards`() throws {
    let marks = try [mark(57, 8, "a long name", chosen: true), mark(53, 8, ""), mark(41, 8, "")]
    let label = try #require(Labelling(try drawing(marks)).placed[0].label)
    #expect(label.side == .above && label.box == UnitBox(column: 49, row: 7, columns: 11, rows: 1))
  }

  @Test func `nothing covers anything in random crowds`() throws {
    var random = SeededGenerator(seed: 8)
    let names = ["Tallinn", "São Paulo", "東京", "Å", "Llanfairpwllgwyngyllgogerychwyrndrobwll", "e\u{301}\u{302}", ""]
    for _ in 0..<200 {
      let marks = try (0..<40).map { index in
        try mark(
          .random(in: 0..<60, using: &random), .random(in: 0..<16, using: &random),
          names[Int.random(in: 0..<7, using: &random)], kind: MapMark.Kind.allCases[index % 6], chosen: index == 7,
          optional: index.isMultiple(of: 3))
      }
      let drawing = try drawing(marks)
      let labelling = Labelling(drawing)
      var cells: [MapCell: Int] = [:]
      for placed in labelling.placed {
        guard let label = placed.label else { continue }
        #expect(label.text.cells.count <= 28)
        for offset in label.text.cells.indices {
          cells[MapCell(column: label.box.column + offset, row: label.box.row), default: 0] += 1
        }
      }
      #expect(cells.values.allSatisfy { $0 == 1 })
      #expect(cells.keys.allSatisfy { (0..<60).contains($0.column) && (0..<16).contains($0.row) })
      #expect(labelling.placed.allSatisfy { cells[$0.unit] == nil })
      #expect(labelling.placed.filter { $0.mark.needsLabel }.allSatisfy { $0.label != nil })
      #expect(drawing.picture().lines.allSatisfy { cellWidth($0) <= 60 })
    }
  }

  @Test func `the chosen one comes first and is rather cut than left out`() throws {
    let marks = try [
      mark(30, 5, "other"), mark(30, 5, "Llanfairpwllgwyngyll, GB", kind: .here, chosen: true),
    ]
    let line = try drawing(marks).picture().lines[5]
    #expect(line.contains("[✚] Llanfairpwllgwyngyll, GB"))
    let narrow = MapDrawing(
      view: view.resized(to: MapSize(columns: 20, rows: 1)),
      marks: [MapMark(at: view.centre, kind: .city, label: "Llanfairpwllgwyngyll", isChosen: true)],
      outlines: Outlines(MadeUpOutlines.small), characters: .ascii)
    #expect(narrow.picture().lines[0].hasSuffix("[o] Llanfa~"))
  }

  @Test func `names are as many as the map can bear`() throws {
    let marks = try (0..<16).flatMap { row in
      try stride(from: 0, to: 60, by: 8).map { try mark($0, row, "abc", optional: true) }
    }
    #expect(Labelling(try drawing(marks)).placed.count == 60 * 16 / 75)
    #expect(Labelling(try drawing(marks.map { MapMark(at: $0.position, kind: .atm) })).placed.count == marks.count)
  }

  @Test func `a name does not hide the sign of another large city`() throws {
    // To the right, the first label would cover the second sign.
    let marks = try [mark(20, 8, "Shanghai", optional: true), mark(26, 8, "Tokyo", optional: true)]
    let placed = Labelling(try drawing(marks)).placed
    #expect(placed.map(\.mark.label) == ["Shanghai", "Tokyo"] && placed.map(\.label?.side) == [.left, .right])
  }

  @Test func `of two cities that are one place on the map the first is named`() throws {
    let far = [(-4, 0), (0, 2), (4, 1), (3, 2)]
    let near = [(3, 0), (-3, 1), (0, 1), (0, -1), (2, 1)]
    for (offsets, count) in [(far, 2), (near, 1)] {
      for (columns, rows) in offsets {
        let marks = try [mark(30, 8, "a", chosen: true), mark(30 + columns, 8 + rows, "b", optional: true)]
        #expect(Labelling(try drawing(marks)).placed.count == count, "\(columns) \(rows)")
      }
    }
    // A bank beside a city is another thing.
    let bank = try [mark(30, 8, "", kind: .atm), mark(30, 9, "b", optional: true)]
    #expect(Labelling(try drawing(bank)).placed.count == 2)
  }

  @Test func `every kind has a sign of its own one cell wide`() {
    for characters in Charset.allCases {
      let signs = MapMark.Kind.allCases.map { $0.sign(characters) }
      #expect(Set(signs).count == signs.count && signs.allSatisfy { cellWidth($0) == 1 })
      #expect(characters == .unicode || signs.joined().utf8.allSatisfy { $0 < 0x7F })
    }
    #expect(MapMark.Kind(.bna) == .bna && MapMark.Kind(.init(rawValue: "new")) == .other)
  }
}
