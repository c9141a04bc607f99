package import CitiesProtocol
internal import Glibc

/// The shortest path between two places, on the same sphere as the server's distances.
package struct GreatCircle: Equatable, Sendable {
  /// Its length.
  package let metres: Double
  /// The direction at its start, in degrees clockwise from north, in 0..<360.
  package let bearing: Double

  /// The great circle from one place to another.
  package init(from one: Position, to other: Position) {
    let (lat, otherLat) = (one.lat * .pi / 180, other.lat * .pi / 180)
    let east = (other.lon - one.lon) * .pi / 180
    // The haversine formula, which is also exact for short distances.
    let half =
      sin((otherLat - lat) / 2) * sin((otherLat - lat) / 2)
      + cos(lat) * cos(otherLat) * sin(east / 2) * sin(east / 2)
    metres = 2 * asin(min(half.squareRoot(), 1)) * Globe.metresPerDegree * 180 / .pi
    let angle = atan2(sin(east) * cos(otherLat), cos(lat) * sin(otherLat) - sin(lat) * cos(otherLat) * cos(east))
    let degrees = angle * 180 / .pi
    let clockwise = degrees < 0 ? degrees + 360 : degrees
    // There is no direction to the same place; a negative number that is almost 0 becomes 360.
    bearing = metres < 0.5 || clockwise == 360 ? 0 : clockwise
  }

  /// The direction in words, one of eight: `north-east`.
  package var direction: String {
    let words = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
    return bearing.isFinite ? words[Int((bearing / 45).rounded()) % words.count] : words[0]
  }
}
