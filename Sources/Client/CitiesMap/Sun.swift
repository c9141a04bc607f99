package import CitiesProtocol
internal import Glibc

/// The position of the sun, by the low-precision formulas of the Astronomical Almanac (section C): accurate to about a
/// hundredth of a degree from 1950 to 2050.
///
///     let sun = Sun(at: 1_782_043_200)                        // 2026-06-21 12:00 UTC
///     sun.overhead                                            // 23.4° north, 0.4° east
///     sun.altitude(at: Position(lat: 48.86, lon: 2.35))       // 64°
package struct Sun: Equatable, Sendable {
  /// The altitude of the sun's centre when its upper edge is on the horizon: half its diameter plus refraction.
  private static let horizon = -0.833
  private static let secondsPerDegree = 240.0

  /// The place where the sun is overhead.
  package let overhead: Position

  /// The sun at a moment, in seconds since 1970-01-01T00:00:00Z.
  package init(at seconds: Double) {
    // Days since 2000-01-01 12:00.
    let days = seconds / 86_400 - 10_957.5
    let anomaly = (357.528 + 0.985_600_3 * days) * .pi / 180
    let longitude = (280.46 + 0.985_647_4 * days + 1.915 * sin(anomaly) + 0.02 * sin(2 * anomaly)) * .pi / 180
    let tilt = (23.439 - 0.000_000_4 * days) * .pi / 180
    let ascension = atan2(cos(tilt) * sin(longitude), cos(longitude)) * 180 / .pi
    let sidereal = 280.460_618 + 360.985_647_366 * days
    overhead = Position(
      lat: asin(sin(tilt) * sin(longitude)) * 180 / .pi, lon: Globe.wrapped(ascension - sidereal))
  }

  /// The sun's altitude at a place in degrees; negative at night.
  package func altitude(at place: Position) -> Double {
    let (here, there) = (place.lat * .pi / 180, overhead.lat * .pi / 180)
    let across = cos((place.lon - overhead.lon) * .pi / 180)
    return asin(max(-1, min(1, sin(here) * sin(there) + cos(here) * cos(there) * across))) * 180 / .pi
  }

  /// The sun's course over a day.
  package enum Course: Hashable, Sendable {
    /// It rises and sets at these times, in seconds since 1970.
    case rises(Double, sets: Double)
    /// It stays above the horizon.
    case alwaysUp
    /// It stays below the horizon.
    case alwaysDown
  }

  /// The course at a place on the day with local noon at `noon`, in seconds since 1970.
  ///
  /// Accurate to about a minute, except near the polar circles, where the sun grazes the horizon.
  package static func course(at place: Position, noon: Double) -> Course {
    let middle = moment(at: place, from: noon) { _ in 0 } ?? noon
    let rise = moment(at: place, from: middle) { $0.halfDay(at: place) }
    let set = moment(at: place, from: middle) { sun in sun.halfDay(at: place).map { -$0 } }
    guard let rise, let set else {
      return Sun(at: middle).altitude(at: place) > horizon ? .alwaysUp : .alwaysDown
    }
    return .rises(rise, sets: set)
  }

  /// Degrees of the earth's rotation between the horizon and the sun's highest point; `nil` if it does not cross the
  /// horizon.
  private func halfDay(at place: Position) -> Double? {
    let (here, there) = (place.lat * .pi / 180, overhead.lat * .pi / 180)
    let cosine = (sin(Self.horizon * .pi / 180) - sin(here) * sin(there)) / (cos(here) * cos(there))
    return (-1...1).contains(cosine) ? acos(cosine) * 180 / .pi : nil
  }

  /// The moment nearest to `start` at which the sun is `east` degrees east of a place.
  private static func moment(at place: Position, from start: Double, east: (Sun) -> Double?) -> Double? {
    var seconds = start
    for _ in 0..<4 {
      let sun = Sun(at: seconds)
      guard let east = east(sun) else { return nil }
      seconds += Globe.wrapped(sun.overhead.lon - place.lon - east) * secondsPerDegree
    }
    return seconds
  }
}
