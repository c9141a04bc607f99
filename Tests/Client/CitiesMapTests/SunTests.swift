import CitiesProtocol
import Testing

@testable import CitiesMap

/// Compared with the tables of the United States Naval Observatory and of the Nautical Almanac.
@Suite struct SunTests {
  private static let paris = Position(lat: 48.8534, lon: 2.3488)
  // 2026-06-21 12:00 and 2026-12-21 12:00 UTC.
  private static let (june, december) = (1_782_043_200.0, 1_797_854_400.0)

  @Test func `the sun is overhead where the almanac says`() {
    for (seconds, lat, lon) in [
      (Self.june, 23.44, 0.46), (Self.december, -23.44, -0.5), (1_774_018_800, 0.0, -43.1),
    ] {
      let sun = Sun(at: seconds)
      #expect(abs(sun.overhead.lat - lat) < 0.05 && abs(sun.overhead.lon - lon) < 0.1, "\(sun.overhead)")
    }
  }

  @Test func `the altitude is ninety degrees below the sun and none a quarter of the globe away`() {
    let sun = Sun(at: Self.june)
    #expect(abs(sun.altitude(at: sun.overhead) - 90) < 1e-6)
    #expect(abs(sun.altitude(at: Position(lat: 0, lon: sun.overhead.lon + 90))) < 1e-6)
    #expect(abs(sun.altitude(at: Position(lat: -sun.overhead.lat, lon: sun.overhead.lon + 180)) + 90) < 1e-6)
  }

  @Test(arguments: [
    // Place, noon, minutes of UTC after midnight when it rises and sets.
    (Self.paris, Self.june, 3 * 60 + 47, 19 * 60 + 58), (Self.paris, Self.december, 7 * 60 + 41, 15 * 60 + 56),
    (Position(lat: 51.5085, lon: -0.1257), Self.december, 8 * 60 + 4, 15 * 60 + 53),
    (Position(lat: -33.8679, lon: 151.2073), Self.december - 10 * 3_600, -5 * 60 - 19, 9 * 60 + 5),
  ])
  func `it rises and sets to the minute`(place: Position, noon: Double, rise: Int, set: Int) {
    guard case .rises(let rises, let sets) = Sun.course(at: place, noon: noon) else {
      Issue.record("it does not rise")
      return
    }
    let midnight = (noon / 86_400).rounded(.down) * 86_400
    #expect(abs((rises - midnight) / 60 - Double(rise)) < 2 && abs((sets - midnight) / 60 - Double(set)) < 2)
    #expect(abs(Sun(at: rises).altitude(at: place) + 0.833) < 0.01)
  }

  @Test func `beyond a polar circle it stays up in summer and down in winter`() {
    let tromso = Position(lat: 69.6489, lon: 18.9551)
    #expect(Sun.course(at: tromso, noon: Self.june) == .alwaysUp)
    #expect(Sun.course(at: tromso, noon: Self.december) == .alwaysDown)
    for lat in [90.0, -90, .nan] { _ = Sun.course(at: Position(lat: lat, lon: 0), noon: Self.june) }
  }
}
