import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesMap

@Suite struct OutlinesTests {
  @Test func `the outlines of the program are the file of the repository`() throws {
    let embedded = Outlines.embedded()
    let file = try Repository.bytes(Repository.path("contrib/data/outlines.bin"))
    #expect(embedded.scales.map(\.points) == Outlines(file).scales.map(\.points))
    #expect(MadeUpOutlines.sealed(Array(file.dropFirst(13))) == Array(file), "the head is right")
    #expect(embedded.scales.allSatisfy { $0.unitsPerDegree == 100 })
    #expect(embedded.scales.map { $0.points.count } == [8_101, 80_175])
  }

  @Test func `the coasts know where the sea begins`() throws {
    // Each name is that of a place at the sea, or of one far from it; degrees to the nearest point of a coast.
    let fine = try #require(Outlines.embedded().scales.last)
    func distance(_ lat: Double, _ lon: Double, _ kind: Outlines.Kind) -> Double {
      var nearest = 999.0
      for point in fine.lines.filter({ $0.kind == kind }).flatMap({ fine.points[$0.points] }) {
        nearest = min(nearest, max(abs(Double(point.lat) / 100 - lat), abs(Double(point.lon) / 100 - lon)))
      }
      return nearest
    }
    #expect(distance(59.44, 24.75, .coast) < 0.3, "Tallinn")
    #expect(distance(-18.14, 178.44, .coast) < 0.3, "Suva")
    #expect(distance(55.75, 37.62, .coast) > 4, "Moscow")
    #expect(distance(47.56, 7.59, .border) < 0.3, "Basel")
    #expect(distance(-25.27, 133.78, .border) > 5, "Australia")
  }

  @Test(arguments: ["1A", "United Kingdom", " ", "", String(repeating: "Z", count: 64)])
  func `the code of no country has no outline`(code: String) {
    #expect(!Outlines.embedded().scales.contains { $0.lines.contains { $0.kind == .country(code) } })
  }

  @Test func `no line crosses the date line`() throws {
    for scale in Outlines.embedded().scales {
      for line in scale.lines {
        let points = Array(scale.points[line.points])
        #expect(zip(points, points.dropFirst()).allSatisfy { abs($0.lon - $1.lon) < 18_000 })
        let (lat, lon) = (points.map { Double($0.lat) / 100 }, points.map { Double($0.lon) / 100 })
        #expect(line.west == lon.min() && line.east == lon.max())
        #expect(line.south == lat.min() && line.north == lat.max())
      }
    }
  }

  @Test func `lines are read as they were written`() throws {
    let outlines = Outlines(MadeUpOutlines.small)
    #expect(outlines.scales[1].lines.map(\.kind) == [.coast, .border, .border])
    #expect(outlines.scales[1].points.suffix(2).map { [$0.lon, $0.lat] } == [[17_000, -9_000], [18_000, 9_000]])
  }
}
