import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesMap

@Suite struct OutlinesTests {
  @Test func `the outlines of the program are the file of the repository`() throws {
    let embedded = try Outlines.embedded()
    let file = try Outlines(Repository.bytes(Repository.path("contrib/data/outlines.bin")))
    #expect(embedded.scales.map(\.points) == file.scales.map(\.points))
    #expect(embedded.scales.allSatisfy { $0.unitsPerDegree == 100 })
    #expect(embedded.scales.map(\.millions) == [110, 50])
    #expect(embedded.scales.map { $0.points.count } == [8_086, 80_145])
  }

  @Test func `the coasts know where the sea begins`() throws {
    // Each name is that of a place at the sea, or of one far from it; degrees to the nearest point of a coast.
    let fine = try #require(try Outlines.embedded().scales.last)
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

  @Test func `no line crosses the date line`() throws {
    for scale in try Outlines.embedded().scales {
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
    let outlines = try Outlines(MadeUpOutlines.small)
    #expect(outlines.scales[1].lines.map(\.kind) == [.coast, .border, .border])
    #expect(outlines.scales[1].points.suffix(2).map { [$0.lon, $0.lat] } == [[17_000, -9_000], [18_000, 9_000]])
  }

  @Test(arguments: [
    ([UInt8](), OutlinesError.foreign), (Array("CITYLIN".utf8), .foreign), (Array("citylines".utf8), .foreign),
    (Array("CITYLINE\u{2}".utf8), .unknownVersion(2)), (Array("CITYLINE\u{1}abc".utf8), .damaged),
    (Array("CITYLINE\u{1}abcdefgh".utf8), .damaged),
    (MadeUpOutlines.sealed([]), .invalid("the units a degree is cut off", offset: 13)),
    (MadeUpOutlines.sealed([0, 1]), .invalid("the units a degree is out of range", offset: 14)),
    (MadeUpOutlines.sealed([100, 0]), .invalid("the number of scales is out of range", offset: 15)),
    (MadeUpOutlines.file([(50, [(2, [(0, 0), (1, 1)])])]), .invalid("a line is of no known kind", offset: 18)),
    (MadeUpOutlines.file([(50, [(0, [(0, 0)])])]), .invalid("the number of points is out of range", offset: 19)),
    (MadeUpOutlines.file([(50, [(0, [(0, 0), (18_001, 0)])])]), .invalid("a point lies beyond the globe", offset: 25)),
    (MadeUpOutlines.sealed([100, 1, 50, 0, 0]), .invalid("unexpected bytes after the last scale", offset: 17)),
    (
      MadeUpOutlines.sealed([100, 1, 50] + Array(repeating: 0xFF, count: 12)),
      .invalid("the number of lines is too long", offset: 25)
    ),
  ])
  func `what are no outlines says why`(bytes: [UInt8], reason: OutlinesError) {
    #expect(throws: reason) { try Outlines(bytes) }
    #expect("\(reason)".contains("outlines"))
  }

  @Test func `every cut and every changed byte is an error`() {
    let file = MadeUpOutlines.small
    for count in 0..<file.count { #expect(throws: OutlinesError.self) { try Outlines(file.prefix(count)) } }
    for index in file.indices {
      for bit in 0..<8 {
        var changed = file
        changed[index] ^= 1 << UInt8(bit)
        #expect(throws: OutlinesError.self) { try Outlines(changed) }
      }
    }
  }

  @Test(arguments: Mutations.parts(of: .outlines))
  func `mutated outlines with a valid checksum are refused or drawn`(part: Mutations) throws {
    let body = Array(MadeUpOutlines.small.dropFirst(13))
    let view = Viewport(
      centre: Position(lat: 5, lon: 175), metresPerDot: 60_000, size: MapSize(columns: 20, rows: 6))
    try part.run { mutator in
      let bytes = mutator.below(4) == 0 ? mutator.mutated(body) : mutator.damaged(body)
      guard let outlines = try? Outlines(MadeUpOutlines.sealed(bytes)) else { return }
      let picture = MapDrawing(view: view, marks: [], outlines: outlines, characters: .unicode).picture()
      #expect(picture.lines.count == 6)
    }
  }
}
