@_exported public import Base
package import CitiesProtocol

/// A visible mark.
struct PlacedMark {
  var mark: MapMark
  /// The unit that contains it.
  var unit: MapCell
  /// Its label, if there is room for it.
  var label: PlacedLabel?
}

/// The position of a label.
struct PlacedLabel {
  /// The side of the sign.
  enum Side: CaseIterable { case right, left, above, below }

  var side: Side
  var box: UnitBox
  var text: MapText
}

/// Places signs and labels so that they do not cover more important ones.
struct Labelling {
  /// The most cells of a label.
  private static let maximumCells = 28
  /// The fewest cells of a shortened label.
  private static let leastCells = 4
  /// Cells of the picture per mark that is shown only for its label: more such marks would hide the map.
  private static func cellsPerName(_ view: Viewport) -> Int { view.showsWorld ? 50 : 75 }
  /// Units kept free between a label and its sign, and on both sides of a sign.
  private static let gap = 1

  /// The marks to show, most important first.
  private(set) var placed: [PlacedMark] = []
  let drawing: MapDrawing
  private var metrics: LabelMetrics
  private let (columns, rows): (Int, Int)
  private var taken: Set<MapCell>

  /// Places all signs and labels; no label covers the units of `text`.
  ///
  /// Signs come first, because they show positions; then labels in the order of the marks, the chosen one's first.
  ///
  /// - Complexity: O(marks × units of a label).
  init(_ drawing: MapDrawing, _ metrics: LabelMetrics = .cells, keeping text: Set<MapCell> = []) {
    (self.drawing, self.metrics, taken) = (drawing, metrics, text)
    // Neighbouring signs are in different countries there.
    if drawing.view.showsWorld { self.metrics.apart = (metrics.apart.across * 2 / 3, metrics.apart.down / 4) }
    let size = drawing.view.size
    (columns, rows) = (size.dotColumns / metrics.across, size.dotRows / metrics.down)
    let marks = drawing.marks.filter(\.isChosen) + drawing.marks.filter { !$0.isChosen }
    for mark in marks where !mark.needsLabel { placeSign(of: mark) }
    let (signs, names) = (placed.indices, marks.filter(\.needsLabel))
    for index in signs.prefix(while: { placed[$0].mark.isChosen }) { placeLabel(ofSign: index) }
    // Locations of banks do not hide the name of the city that they are in.
    if placed.contains(where: { !$0.mark.kind.isCity && $0.mark.kind != .here }) {
      for mark in Self.landmarks(names) { _ = placeTogether(mark, overSigns: true) }
    }
    for index in signs.drop(while: { placed[$0].mark.isChosen }) { placeLabel(ofSign: index) }
    placeNames(of: names, atMost: max(4, size.columns * size.rows / Self.cellsPerName(drawing.view)))
  }

  /// The number of the largest cities that are named whatever else is on the map, besides capitals.
  private static let mostLandmarks = 2

  private static func landmarks(_ names: [MapMark]) -> [MapMark] {
    [true, false].flatMap { isCapital in
      names.filter { ($0.kind == .capital) == isCapital }.prefix(mostLandmarks)
    }
  }

  private mutating func placeLabel(ofSign index: Int) {
    placed[index].label = placeLabel(of: placed[index].mark, at: placed[index].unit)
  }

  /// Places marks that are shown only for their labels.
  ///
  /// The cells of the most important signs are kept free until their turn: the name of Shanghai must not hide Tokyo.
  private mutating func placeNames(of marks: [MapMark], atMost most: Int) {
    var kept: [Int: UnitBox] = [:]
    var units: [MapCell] = []
    for (index, mark) in marks.enumerated() where kept.count < most {
      guard let unit = unit(of: mark), !isCrowded(unit, mark.kind),
        !units.contains(where: { metrics.areCrowded($0, unit) })
      else { continue }
      let box = signBox(of: mark, at: unit)
      guard taken.isDisjoint(with: box.units) else { continue }
      taken.formUnion(box.units)
      kept[index] = box
      units.append(unit)
    }
    var names = most
    for (index, mark) in marks.enumerated() where kept.count > 0 && names > 0 {
      guard let box = kept.removeValue(forKey: index) else { continue }
      taken.subtract(box.units)
      if placeTogether(mark) || place(mark, over: &kept) { names -= 1 }
    }
    for mark in marks where names > 0 && placeTogether(mark) { names -= 1 }
  }

  /// Places a mark where room is reserved for the signs of less important ones, which lose it.
  private mutating func place(_ mark: MapMark, over kept: inout [Int: UnitBox]) -> Bool {
    // As many as possible keep their signs, the most important ones.
    for share in [2, 4, 8, kept.count + 1] {
      let freed = kept.sorted { $0.key < $1.key }.dropFirst(kept.count / share)
      for sign in freed { taken.subtract(sign.value.units) }
      let isPlaced = placeTogether(mark)
      for sign in freed {
        if taken.isDisjoint(with: sign.value.units) { taken.formUnion(sign.value.units) } else { kept[sign.key] = nil }
      }
      if isPlaced { return true }
    }
    return false
  }

  /// The unit of a mark; `nil` if the picture does not show it.
  private func unit(of mark: MapMark) -> MapCell? {
    guard drawing.view.cell(of: mark.position) != nil else { return nil }
    let dot = Dot(drawing.view.dot(of: mark.position))
    return MapCell(column: dot.x / metrics.across, row: dot.y / metrics.down)
  }

  private mutating func placeSign(of mark: MapMark) {
    guard let unit = unit(of: mark) else { return }
    placed.append(PlacedMark(mark: mark, unit: unit))
    taken.formUnion(signBox(of: mark, at: unit).units)
  }

  private func signBox(of mark: MapMark, at unit: MapCell) -> UnitBox {
    let reach = metrics.reach(of: mark)
    return UnitBox(
      column: unit.column - reach.across, row: unit.row - reach.down, columns: 2 * reach.across + 1,
      rows: 2 * reach.down + 1)
  }

  /// Places a mark that is useless without its label; with `overSigns`, its sign may be below others.
  private mutating func placeTogether(_ mark: MapMark, overSigns: Bool = false) -> Bool {
    guard let unit = unit(of: mark), !isCrowded(unit, mark.kind) else { return false }
    let box = signBox(of: mark, at: unit)
    // Next to another sign or label, it would seem to belong to that.
    let kept = box.widened(left: Self.gap, right: Self.gap)
    let isFree =
      overSigns
      ? !placed.contains { $0.label.map { !Set($0.box.units).isDisjoint(with: box.units) } ?? false }
      : taken.isDisjoint(with: kept.units)
    guard isFree, let label = placeLabel(of: mark, at: unit) else { return false }
    taken.formUnion(box.units)
    placed.append(PlacedMark(mark: mark, unit: unit, label: label))
    return true
  }

  /// Whether a sign of the same kind is so near that both are one place at this scale, such as a city and its
  /// districts.
  private func isCrowded(_ unit: MapCell, _ kind: MapMark.Kind) -> Bool {
    placed.contains { other in
      (other.mark.kind.isCity ? kind.isCity : other.mark.kind == kind) && metrics.areCrowded(other.unit, unit)
    }
  }

  /// Places the label on the first free side: right, left, above, below.
  private mutating func placeLabel(of mark: MapMark, at unit: MapCell) -> PlacedLabel? {
    var text = MapText(mark.label, drawing.characters)
    text.cut(to: Self.maximumCells, drawing.characters)
    guard !text.cells.isEmpty else { return nil }
    for side in PlacedLabel.Side.allCases {
      if let label = take(text, side, of: mark, at: unit) { return label }
    }
    guard mark.isChosen else { return nil }
    // The label of the map's subject is shortened instead of omitted.
    while text.cells.count > Self.leastCells {
      text.cut(to: text.cells.count - 1, drawing.characters)
      if let label = take(text, .right, of: mark, at: unit) { return label }
    }
    return nil
  }

  private mutating func take(
    _ text: MapText, _ side: PlacedLabel.Side, of mark: MapMark, at unit: MapCell
  ) -> PlacedLabel? {
    let box = box(of: text, side, beside: signBox(of: mark, at: unit), unit)
    // Two adjacent labels would read as one, but a label is near its own sign. A label above or below its sign would
    // seem to belong to a sign beside it.
    let apart = side == .above || side == .below ? 2 * metrics.labelGap : metrics.labelGap
    let kept = box.widened(left: side == .right ? Self.gap : apart, right: side == .left ? Self.gap : apart)
    guard box.column >= 0, box.column + box.columns <= columns, box.row >= 0, box.row + box.rows <= rows,
      taken.isDisjoint(with: kept.units)
    else { return nil }
    taken.formUnion(box.units)
    return PlacedLabel(side: side, box: box, text: text)
  }

  private func box(
    of text: MapText, _ side: PlacedLabel.Side, beside sign: UnitBox, _ unit: MapCell
  ) -> UnitBox {
    let (width, height) = (metrics.width(of: text), metrics.height)
    // Near an edge a label is moved inwards as far as necessary.
    let middle = max(0, min(unit.column - width / 2, columns - width))
    let (column, row) =
      switch side {
      case .right: (sign.column + sign.columns + Self.gap, unit.row - height / 2)
      case .left: (sign.column - Self.gap - width, unit.row - height / 2)
      case .above: (middle, sign.row - height)
      case .below: (middle, sign.row + sign.rows)
      }
    return UnitBox(column: column, row: row, columns: width, rows: height)
  }
}

/// The sizes of signs and labels, in units of placement.
struct LabelMetrics {
  /// Dots per unit, across and down.
  let (across, down): (Int, Int)
  /// The height of a label in units.
  let height: Int
  /// The width of a character's cell in a label, in half units.
  private let halvesPerCell: Int
  /// Units from a sign's middle to its edges, excluding the middle itself.
  private let sign: (across: Int, down: Int)
  /// Likewise for the chosen mark, whose sign is in brackets or in a ring.
  private let chosenSign: (across: Int, down: Int)
  /// If two signs of one kind are within this many units, only the more important one is named.
  var apart: (across: Int, down: Int)
  /// Units kept free between two labels.
  let labelGap: Int

  /// For a picture of characters: a unit is a cell.
  static let cells = LabelMetrics(
    across: 2, down: 4, height: 1, halvesPerCell: 2, sign: (0, 0), chosenSign: (1, 0), apart: (3, 1), labelGap: 2)
  /// For a vector picture: a unit is a dot, five of the picture's units, and its letters are about eight of those wide.
  static let dots = LabelMetrics(
    across: 1, down: 1, height: 4, halvesPerCell: 3, sign: (1, 1), chosenSign: (2, 2), apart: (6, 4), labelGap: 4)

  /// Whether two signs are so near that they are one place at this scale.
  func areCrowded(_ one: MapCell, _ other: MapCell) -> Bool {
    abs(one.column - other.column) <= apart.across && abs(one.row - other.row) <= apart.down
  }

  /// The units of a mark's sign on each side of its middle.
  func reach(of mark: MapMark) -> (across: Int, down: Int) { mark.isChosen ? chosenSign : sign }

  /// The width of a label in units.
  func width(of text: MapText) -> Int { (text.cells.count * halvesPerCell + 1) / 2 }
}

/// A rectangle of whole units.
struct UnitBox: Equatable {
  var (column, row, columns, rows): (Int, Int, Int, Int)

  /// All units in it.
  var units: [MapCell] {
    (row..<row + rows).flatMap { row in (column..<column + columns).map { MapCell(column: $0, row: row) } }
  }

  /// The box, extended to the left and right.
  func widened(left: Int, right: Int) -> UnitBox {
    UnitBox(column: column - left, row: row, columns: left + columns + right, rows: rows)
  }
}

/// A place on a map, with its sign and, if there is room, its name.
package struct MapMark: Equatable, Sendable {
  /// The kind of mark; each has its own sign, so that marks can be distinguished without colour.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// The capital of a country.
    case capital
    /// A city of a million inhabitants.
    case metropolis
    /// A city.
    case city
    /// A town of fewer than 100,000 inhabitants, or of an unknown number.
    case town
    /// A bank's branch.
    case branch
    /// A cash machine.
    case atm
    /// A machine that also accepts cash.
    case bna
    /// A location of an unknown kind.
    case other
    /// The user's own position, or the requested one.
    case here
  }

  /// The position.
  package var position: Position
  /// Its kind.
  package var kind: Kind
  /// The label; may be empty.
  package var label: String
  /// Whether it is the subject of the map: it is drawn above all others and emphasized, and its label comes first.
  package var isChosen: Bool
  /// Whether it is omitted if there is no room for its label, like the cities around a place.
  package var needsLabel: Bool

  /// Makes a mark.
  package init(
    at position: Position, kind: Kind, label: String = "", isChosen: Bool = false, needsLabel: Bool = false
  ) {
    (self.position, self.kind, self.label) = (position, kind, label)
    (self.isChosen, self.needsLabel) = (isChosen, needsLabel)
  }
}

extension MapMark.Kind {
  private static let capitals = Set(CountryFacts.all().values.compactMap(\.capital))

  /// The mark for a city, by its size.
  package init(_ city: CityRow) {
    self =
      switch city.population ?? 0 {
      case _ where Self.capitals.contains(city.id): .capital
      case 1_000_000...: .metropolis
      case 100_000...: .city
      default: .town
      }
  }

  /// Whether it is a city of any size.
  var isCity: Bool { [.capital, .metropolis, .city, .town].contains(self) }

  /// The mark for a bank's location.
  package init(_ kind: BankRow.Kind) {
    switch kind {
    case .branch: self = .branch
    case .atm: self = .atm
    case .bna: self = .bna
    default: self = .other
    }
  }

  /// The sign, one cell wide.
  package func sign(_ characters: Charset) -> String { characters == .unicode ? look.sign : look.letter }

  /// The meaning of the sign, for a legend.
  package var meaning: String { look.meaning }

  /// The sign, the one for ASCII, and their meaning.
  private var look: (sign: String, letter: String, meaning: String) {
    switch self {
    case .capital: ("★", "*", "capital")
    case .metropolis: ("◉", "O", "city of a million")
    case .city: ("●", "o", "city")
    case .town: ("•", ".", "town")
    case .branch: ("■", "B", "branch")
    case .atm: ("▲", "A", "ATM")
    case .bna: ("◆", "N", "BNA")
    case .other: ("?", "?", "unknown kind")
    case .here: ("✚", "@", "position")
    }
  }
}

extension CityRow {
  /// The position.
  package var position: Position { Position(lat: lat, lon: lon) }
}

extension [CityRow] {
  /// The inhabitants that a capital, the largest city of a country and a megacity have in addition on a map of the
  /// world.
  private static let (prominence, megacity) = (4_000_000.0, 10_000_000.0)

  /// The cities, largest first, in the order in which a map of the world names them: readers look for the best-known
  /// city of a country, not for its fifth.
  package var byProminence: [CityRow] {
    var countries: Set<TextKey> = []
    let weighed = enumerated().map { index, city in
      let people = Double(city.population ?? 0)
      let isFirst = countries.insert(TextKey(city.country)).inserted || MapMark.Kind(city) == .capital
      return (weight: people + (isFirst || people >= Self.megacity ? Self.prominence : 0), index: index)
    }
    return weighed.sorted { ($1.weight, $0.index) < ($0.weight, $1.index) }.map { self[$0.index] }
  }
}

extension BankRow {
  /// The position.
  package var position: Position { Position(lat: lat, lon: lon) }
}

/// A place as a `geo:` URI (RFC 5870): `geo:59.43696,24.75353`, in WGS 84, which is the default.
package func geoURI(_ position: Position) -> String {
  // At a pole every longitude is the same; RFC 5870 §3.4.2 requires 0.
  let lon = abs(position.lat) == 90 ? 0 : position.lon
  return "geo:\(decimalText(position.lat)),\(decimalText(lon))"
}
