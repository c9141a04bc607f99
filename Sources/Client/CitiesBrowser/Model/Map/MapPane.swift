internal import CitiesMap
internal import CitiesProtocol

/// The part of the world that a map on the screen shows, and the keys that move it.
struct MapPane: Sendable {
  /// The ground of a turn of the wheel or a press of `+`.
  private static let closer = 0.5

  /// What is shown; `nil` before the first place.
  private(set) var view: Viewport?

  /// Shows a place and what is around it, `width` metres of ground.
  mutating func focus(_ place: Position, width: Double, in size: MapSize) {
    view = .around(place, width: width, in: size)
  }

  /// Shows all of some places.
  mutating func fit(_ places: [Position], in size: MapSize) { view = .fitting(places, in: size) }

  /// Moves to a place if it is not seen.
  mutating func follow(_ place: Position) {
    guard let view, view.cell(of: place) == nil else { return }
    self.view = view.centred(on: place)
  }

  /// Shows the same place in another size.
  mutating func resize(to size: MapSize) { view = view?.resized(to: size) }

  /// Does what a key means on a map.
  ///
  /// - Returns: whether it means anything.
  mutating func press(_ key: Key, _ layout: Layout) -> Bool {
    guard let view else { return false }
    let (columns, rows) = (max(1, view.size.columns / 4), max(1, view.size.rows / 4))
    switch key {
    case .left: self.view = view.panned(columns: -columns, rows: 0)
    case .right: self.view = view.panned(columns: columns, rows: 0)
    case .up: self.view = view.panned(columns: 0, rows: -rows)
    case .down: self.view = view.panned(columns: 0, rows: rows)
    case .character("+"), .character("="), .wheelUp: self.view = view.zoomed(by: Self.closer)
    case .character("-"), .wheelDown: self.view = view.zoomed(by: 1 / Self.closer)
    case .character("w"): self.view = .world(in: view.size)
    default: return false
    }
    return true
  }
}
