internal import CitiesMap
internal import CitiesProtocol

/// The viewport of a map on the screen, and the keys that move it.
struct MapPane: Sendable {
  /// The scale factor of a turn of the wheel or a press of `+`.
  private static let closer = 0.5

  /// The visible part of the world; `nil` before the first place.
  private(set) var view: Viewport?
  /// The last cell of a drag with the mouse.
  private var grip: MapCell?
  /// Whether the user has walked to a place that may not be in view.
  private var isWalking = false

  /// Shows a place with its surroundings, `width` metres across.
  mutating func focus(_ place: Position, width: Double, in size: MapSize) {
    self = MapPane()
    view = .around(place, width: width, in: size)
  }

  /// Shows all of `places`.
  mutating func fit(_ places: [Position], in size: MapSize) {
    self = MapPane()
    view = .fitting(places, in: size)
  }

  /// The user walks to a place, whose position may not be known yet.
  mutating func walk() { isWalking = true }

  /// Moves to a place that the user has walked to, if it is not visible.
  mutating func follow(_ place: Position?) {
    guard isWalking, let view, let place else { return }
    isWalking = false
    if view.cell(of: place) == nil { self.view = view.centred(on: place) }
  }

  /// Shows the same place in another size.
  mutating func resize(to size: MapSize) { view = view?.resized(to: size) }

  /// Handles a key on a map.
  ///
  /// - Returns: Whether the key has a meaning on a map.
  mutating func press(_ key: KeyPress, _ layout: Layout) -> Bool {
    guard let view else { return false }
    let (columns, rows) = (max(1, view.size.columns / 4), max(1, view.size.rows / 4))
    switch key {
    case .left: self.view = view.panned(columns: -columns, rows: 0)
    case .right: self.view = view.panned(columns: columns, rows: 0)
    case .up: self.view = view.panned(columns: 0, rows: -rows)
    case .down: self.view = view.panned(columns: 0, rows: rows)
    case .character("+"), .character("="): self.view = view.zoomed(by: Self.closer)
    case .character("-"): self.view = view.zoomed(by: 1 / Self.closer)
    case .character("w"): self.view = .world(in: view.size)
    case .wheelUp(let row, let column):
      self.view = view.zoomed(by: Self.closer, about: layout.mapCell(row, column))
    case .wheelDown(let row, let column):
      self.view = view.zoomed(by: 1 / Self.closer, about: layout.mapCell(row, column))
    case .press(let row, let column): grip = layout.mapCell(row, column)
    case .drag(let row, let column): drag(to: layout.mapCell(row, column))
    default: return false
    }
    isWalking = false
    return true
  }

  /// Moves the map with the mouse.
  private mutating func drag(to cell: MapCell) {
    defer { grip = cell }
    guard let grip else { return }
    view = view?.panned(columns: grip.column - cell.column, rows: grip.row - cell.row)
  }
}

/// The cities to name on a map: the largest in view.
typealias MapNames = FetchedValue<Viewport, [CityRow]>

extension MapNames {
  /// The maximum number of requested cities: in a dense region there is no room for most of their names.
  private static let most: UInt64 = 400

  /// Requests the cities in `view`; the previous ones stay until the answer arrives.
  mutating func ask(_ view: Viewport?, _ window: inout RequestWindow) {
    guard let view else { return }
    setKeyKeepingValue(view)
    ask(&window, CityWithin(box: view.area, limit: Self.most)) { $0.rows }
  }
}
