package import CitiesProtocol

/// The places that a map of a country must show: all but distant islands and exclaves with few inhabitants.
///
/// Otherwise the map of the United States would be one of the Pacific, and half of Japan's would be China.
package struct MainGround {
  /// The distance in metres from which a group of places is far from all others.
  static let farAway = 300_000.0
  /// A distant group is shown if at least one in this many inhabitants lives there.
  static let shownShare = 50.0

  /// The places that the map must show.
  package let positions: [Position]

  /// Selects from the places of a country, largest first, with their inhabitants (0 if unknown).
  ///
  /// - Complexity: O(n²) in the places.
  package init(_ places: [(position: Position, inhabitants: UInt64)]) {
    let total = Self.inhabitants(of: places)
    var rest = places
    var shown: [Position] = []
    while let first = rest.first {
      rest.removeFirst()
      var group = [first]
      var next = 0
      while next < group.count {
        let place = group[next].position
        next += 1
        let start = rest.partition { Globe.metres(from: place, to: $0.position) <= Self.farAway }
        group += rest[start...]
        rest.removeSubrange(start...)
      }
      if shown.isEmpty || Self.inhabitants(of: group) * Self.shownShare >= total { shown += group.map(\.position) }
    }
    positions = shown
  }

  private static func inhabitants(of places: [(position: Position, inhabitants: UInt64)]) -> Double {
    places.reduce(0) { $0 + Double(max($1.inhabitants, 1)) }
  }
}
