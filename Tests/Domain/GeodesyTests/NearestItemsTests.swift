import TestSupport
import Testing

@testable import Geodesy

@Suite("the nearest items of several places at once against a search for each")
struct NearestItemsTests {
  @Test(arguments: 0...40) func `every size from 0 to 40 equals the search for one, or is given up`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let world = World((0..<size).map { _ in World.whole(&random) })
    let places = PointTreeTests.seams + (0..<30).map { _ in World.whole(&random) }
    let found = world.nearest(places)
    for (place, found) in zip(places, found) {
      // A tree of one leaf that is not full is left to the other search.
      #expect(found == (size < PointTree.leafItems ? nil : world.plain(place)))
    }
  }

  @Test func `of 50,000 seeded points the nearest are those of the search for one, at the seams and anywhere`() {
    var random = SeededGenerator(seed: 50_000)
    let world = World(
      (0..<50_000).map { number in number % 3 > 0 ? World.somewhere(&random) : World.nearSeam(&random) })
    let places =
      PointTreeTests.seams
      + (0..<2_000).map { number in
        number % 2 == 0 ? World.somewhere(&random) : World.nearSeam(&random)
      }
    for (place, found) in zip(places, world.nearest(places)) { #expect(found == world.plain(place), "\(place)") }
  }

  @Test(arguments: [16, 40, 20_000])
  func `of items within a metre the lowest is found, or the place is given up`(count: Int) {
    let world = World((0..<count).map { GeoPoint(latitude: 10 + Double($0 % 7) * 1e-7, longitude: 20) })
    let places = [GeoPoint(latitude: 10, longitude: 20), GeoPoint(latitude: 10, longitude: 20.1)]
    for (place, found) in zip(places, world.nearest(places)) {
      #expect(found == (count < 32 ? world.plain(place) : nil))
    }
  }

  @Test func `a tree with more inner nodes than axes that are kept finds the same`() {
    var random = SeededGenerator(seed: 300_000)
    let world = World((0..<300_000).map { _ in World.somewhere(&random) })
    let places = (0..<200).map { _ in World.somewhere(&random) }
    for (place, found) in zip(places, world.nearest(places)) { #expect(found == world.plain(place), "\(place)") }
  }

  @Test func `any bytes give an answer`() {
    for seed in UInt64(0)..<50 {
      var random = SeededGenerator(seed: seed)
      var world = World((0..<100).map { _ in World.somewhere(&random) })
      world.tree = world.tree.map { _ in UInt8.random(in: 0...255, using: &random) }
      for found in world.nearest(PointTreeTests.seams) { #expect((found?.item ?? 0) <= UInt32.max) }
    }
  }

  private struct World {
    let points: [GeoPoint]
    var tree: [UInt8]
    private let coordinates: [UInt8]

    init(_ points: [GeoPoint]) {
      (self.points, tree, coordinates) = (points, PointTreeBuilder.build(points), CoordinateTable.encode(points))
    }

    static func whole(_ random: inout SeededGenerator) -> GeoPoint {
      GeoPoint(
        latitude: Double(Int.random(in: -90...90, using: &random)),
        longitude: Double(Int.random(in: -180...180, using: &random)))
    }

    static func somewhere(_ random: inout SeededGenerator) -> GeoPoint {
      GeoPoint(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
    }

    static func nearSeam(_ random: inout SeededGenerator) -> GeoPoint {
      let sign = Bool.random(using: &random) ? 1.0 : -1
      return Bool.random(using: &random)
        ? GeoPoint(
          latitude: sign * .random(in: 89...90, using: &random), longitude: .random(in: -180...180, using: &random))
        : GeoPoint(
          latitude: .random(in: -90...90, using: &random), longitude: sign * .random(in: 179...180, using: &random))
    }

    private func withTree<Result>(_ body: (PointTree, CoordinateTable) -> Result) -> Result {
      tree.withUnsafeBytes { tree in
        coordinates.withUnsafeBytes {
          body(PointTree(tree, count: points.count), CoordinateTable($0, count: points.count))
        }
      }
    }

    /// Eight at a time, and then as many as are left.
    func nearest(_ places: [GeoPoint]) -> [NearestItems.Found?] {
      withTree { tree, points in
        var search = NearestItems(tree, points: points, axes: TreeAxes(tree))
        return stride(from: 0, to: places.count, by: NearestItems.size).flatMap { start in
          let some = places[start..<min(start + NearestItems.size, places.count)]
          for (lane, place) in some.enumerated() { search.set(place, at: lane) }
          let found = search.search(count: some.count)
          return (0..<some.count).map { found[$0] }
        }
      }
    }

    /// What the search for one finds.
    func plain(_ place: GeoPoint) -> NearestItems.Found? {
      withTree { tree, points in
        var neighbours = Neighbours()
        let search = PointSearch(tree, to: place, points: points)
        search.begin(limit: 1, radius: .infinity, into: &neighbours)
        while !search.advance(leaves: .max, into: &neighbours) {}
        return neighbours.count == 0
          ? nil : NearestItems.Found(item: neighbours[0].item, metres: neighbours[0].metres)
      }
    }
  }
}

@Suite("sines and cosines of degrees")
struct SineCosineTests {
  @Test func `they are those of the unit vector of the C library to the last digits`() {
    var random = SeededGenerator(seed: 360)
    let edges = stride(from: -360.0, through: 360, by: 22.5).flatMap { [$0.nextDown, $0, $0.nextUp] }
    for degrees in edges + (0..<20_000).map({ _ in .random(in: -360...360, using: &random) }) {
      let found = SineCosine(degrees: degrees)
      let expected = GeoPoint(latitude: 0, longitude: degrees).vector
      #expect(abs(found.cosine - expected.x) < 4e-15 && abs(found.sine - expected.y) < 4e-15, "\(degrees)")
    }
  }

  @Test func `quarters of a turn are exact, and any other number is what the C library makes of it`() {
    let quarters = [(0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-90, -1, 0), (-180, 0, -1), (270, -1, 0), (360, 0, 1)]
    for (degrees, sine, cosine) in quarters {
      let found = SineCosine(degrees: degrees)
      #expect(found.sine == sine && found.cosine == cosine, "\(degrees)")
    }
    for degrees in [Double.nan, .infinity, -.infinity] {
      let found = SineCosine(degrees: degrees)
      #expect(found.sine.isNaN && found.cosine.isNaN)
    }
    let far = SineCosine(degrees: 1e6)
    let expected = GeoPoint(latitude: 0, longitude: 1e6).vector
    #expect(abs(far.sine - expected.y) < 1e-15 && abs(far.cosine - expected.x) < 1e-15)
  }
}
