import CitiesProtocol
import Testing

@testable import CitiesMap

@Suite struct CaptionTests {
  private func drawing(_ columns: Int, metresPerDot: Double, lat: Double = 59.437) throws -> MapDrawing {
    let view = Viewport(
      centre: Position(lat: lat, lon: 24.7535), metresPerDot: metresPerDot, size: MapSize(columns: columns, rows: 10))
    return MapDrawing(view: view, marks: [], outlines: Outlines(MadeUpOutlines.small), characters: .unicode)
  }

  @Test func `the scale bar is as long as it says`() throws {
    for metres in [1.0, 3, 77, 250, 999, 2_500, 31_000, 200_000] {
      for columns in [10, 40, 80, 200] {
        let view = try drawing(columns, metresPerDot: metres).view
        let bar = ScaleBar(view)
        #expect(abs(bar.dots * view.metresPerDot - bar.metres) < 1e-6)
        #expect(bar.dots <= max(6, Double(view.size.dotColumns) / 4))
        // Along a parallel through the middle, by the great circle's small end.
        let east = bar.dots * view.longitudePerDot
        let ground = east * Globe.metresPerDegree * Globe.cosine(ofDegrees: view.centre.lat)
        #expect(abs(ground / bar.metres - 1) < 1e-9)
      }
    }
  }

  @Test func `the caption is no wider than the picture`() throws {
    #expect(
      try drawing(80, metresPerDot: 2_500).caption() == [
        "├──────────────────┤ 100 km                                    59.44° N 24.75° E"
      ])
    #expect(try drawing(80, metresPerDot: 100_000, lat: 0).caption()[0].hasPrefix("├────────┤ 2,000 km  "))
    // Closer, coasts may be off by more than a row.
    #expect(try drawing(80, metresPerDot: 1_200).caption()[0].hasPrefix("├──────┤ 20 km, coasts to 10 km  "))
    #expect(try !drawing(40, metresPerDot: 1_200).caption()[0].contains("coasts"))
    #expect(try drawing(24, metresPerDot: 2_500).caption() == ["├──┤ 20 km"])
    #expect(try drawing(10, metresPerDot: 100).caption() == ["├─┤ 500 m", "a plan wi…"])
    let note = "a plan without streets: places on a grid; coasts are too coarse at this zoom"
    #expect(try drawing(80, metresPerDot: 100).caption().last == note)
  }

  @Test(arguments: [
    (0.3, 0.5), (0.5, 0.5), (1, 1), (1.1, 2), (2, 2), (2.1, 5), (5.1, 10), (11, 20), (0.011, 0.02), (99, 100),
    (4_999, 5_000),
  ])
  func `round numbers from below`(number: Double, least: Double) {
    #expect(RoundNumbers.least(from: number) == least)
  }

  @Test(arguments: [
    (0.3, 0.2), (0.5, 0.5), (1, 1), (1.9, 1), (2, 2), (9.9, 5), (10, 10), (0.011, 0.01), (4_999, 2_000),
  ])
  func `round numbers from above`(number: Double, greatest: Double) {
    #expect(abs(RoundNumbers.greatest(upTo: number) - greatest) < greatest * 1e-12)
  }

  @Test func `a number that is none is round all the same`() {
    for number in [Double.nan, .infinity, 0, -1] {
      #expect(RoundNumbers.greatest(upTo: number) > 0 && RoundNumbers.least(from: number) > 0)
    }
  }

  @Test(arguments: [
    (1.005, 1, "1.0"), (0.05, 1, "0.1"), (-0.04, 1, "0.0"), (-0.06, 1, "-0.1"), (12.3456, 3, "12.346"), (7, 0, "7"),
    (1e300, 0, "1000000000"), (-0.05, 2, "-0.05"),
  ])
  func `numbers have as many decimals as asked for`(number: Double, decimals: Int, text: String) {
    #expect(fixed(number, decimals: decimals) == text)
  }

  @Test func `coordinates have the decimals of the step`() {
    let place = Position(lat: -0.05, lon: 178.44149)
    #expect(Coordinates.text(place, step: 0.01, .unicode) == "0.05° S 178.44° E")
    #expect(Coordinates.text(place, step: 0.02, .ascii) == "0.05 S 178.44 E")
    #expect(Coordinates.text(place, step: 5, .unicode) == "0° S 178° E")
  }
}
