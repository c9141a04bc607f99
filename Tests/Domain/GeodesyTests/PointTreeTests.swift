import Geodesy
import TestSupport
import Testing

@Suite("the nearest points against a plain scan")
struct PointTreeTests {
  /// Places where a tree in flat coordinates would go wrong.
  static let seams = [
    GeoPoint(latitude: 90, longitude: 0), GeoPoint(latitude: -90, longitude: 77), GeoPoint(latitude: 0, longitude: 180),
    GeoPoint(latitude: 0, longitude: -180), GeoPoint(latitude: 0, longitude: 0),
    GeoPoint(latitude: -0.00001, longitude: 179.99999), GeoPoint(latitude: 89.9999, longitude: -90),
  ]

  @Test(arguments: 0...40) func `every size from 0 to 40 equals the scan, with and without a filter`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let points = (0..<size).map { _ in whole(&random) }
    let tree = Tree(points)
    for place in Self.seams + (0..<8).map({ _ in somewhere(&random) }) {
      for limit in [1, 3, size, 1000] {
        for radius in [.infinity, 0, 100_000, 19_000_000] {
          #expect(tree.near(place, limit, radius).found == scan(points, place, limit, radius))
          let found = tree.near(place, limit, radius) { $0 % 3 == 0 }.found
          #expect(found == scan(points, place, limit, radius) { $0 % 3 == 0 })
        }
      }
    }
  }

  @Test func `100,000 seeded points equal the scan at the seams and anywhere, by looking at few of them`() {
    var random = SeededGenerator(seed: 100_000)
    // A third lies within a degree of the date line or a pole.
    let points = (0..<100_000).map { number in
      number % 3 > 0
        ? somewhere(&random)
        : GeoPoint(
          latitude: number % 2 == 0 ? .random(in: 89...90, using: &random) : .random(in: -90...90, using: &random),
          longitude: number % 2 == 0
            ? .random(in: -180...180, using: &random)
            : Double.random(in: 179...180, using: &random) * (Bool.random(using: &random) ? 1 : -1))
    }
    let tree = Tree(points)
    for place in Self.seams + (0..<3).map({ _ in somewhere(&random) }) {
      let (found, visited) = tree.near(place, 20, .infinity)
      #expect(found == scan(points, place, 20, .infinity))
      #expect(visited < 100, "leaves looked into")
    }
  }

  @Test func `the same points give the same bytes, and any bytes give an answer`() {
    var random = SeededGenerator(seed: 4)
    let points = (0..<50).map { _ in whole(&random) }
    #expect(PointTreeBuilder.build(points) == PointTreeBuilder.build(points))
    for seed in UInt64(0)..<20 {
      var random = SeededGenerator(seed: seed)
      let size = PointTree.size(of: points.count)
      let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Tree(points, order: noise).near(Self.seams[0], 1000, .infinity).found.count <= 50)
    }
  }

  @Test(arguments: [1, 2, 7]) func `the search has the same result in pieces of any length`(leaves: Int) {
    var random = SeededGenerator(seed: 9)
    let tree = Tree((0..<2_000).map { _ in somewhere(&random) })
    for limit in [1, 30] {
      let place = somewhere(&random)
      #expect(tree.near(place, limit, .infinity, leaves: leaves).found == tree.near(place, limit, .infinity).found)
    }
  }

  @Test func `of 20,000 items within a metre the lowest are found, whatever the limit`() {
    let points = (0..<20_000).map { GeoPoint(latitude: 10 + Double($0 % 7) * 1e-7, longitude: 20) }
    let tree = Tree(points)
    for limit in [1, 3, 1_000] {
      #expect(tree.near(points[3], limit, .infinity).found == (0..<limit).map { [0, $0] })
    }
  }

  @Test func `of thousands of items in one place the lowest is found by looking at few, from anywhere`() {
    var random = SeededGenerator(seed: 45)
    let sea = (0..<1_000).map { _ in somewhere(&random) }
    // The others are a few millimetres apart, which is a metre where distances are rounded.
    for shifts in [1, 3] {
      let crowd = (0..<8_000).map { GeoPoint(latitude: 10 + Double($0 * 7 % shifts) * 4e-8, longitude: 20) }
      let points = (sea + crowd).shuffled(using: &random)
      let (tree, alone) = (Tree(points), GeoPoint(latitude: 10, longitude: 20))
      let places = (0..<200).map { _ in alone.moved(north: .random(in: -9e4...9e4, using: &random), east: 3e4) }
      var looked: [Int] = []
      for place in places {
        let (found, visited) = tree.near(place, 1, .infinity)
        if looked.count < 60 { #expect(found == scan(points, place, 1, .infinity)) }
        #expect(tree.near(place, 1, .infinity) { $0 % 2 == 0 }.found.first?[0] == found.first?[0])
        looked.append(visited)
      }
      #expect(looked.count { $0 < 30 } >= places.count * 9 / 10, "leaves looked into: \(looked.sorted())")
    }
  }

  private func whole(_ random: inout SeededGenerator) -> GeoPoint {
    GeoPoint(
      latitude: Double(Int.random(in: -90...90, using: &random)),
      longitude: Double([-180, 180, Int.random(in: -180...180, using: &random)].randomElement(using: &random) ?? 0))
  }

  private func somewhere(_ random: inout SeededGenerator) -> GeoPoint {
    GeoPoint(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
  }

  private func scan(
    _ points: [GeoPoint], _ place: GeoPoint, _ limit: Int, _ radius: Double, _ isWanted: (Int) -> Bool = { _ in true }
  ) -> [[Int]] {
    let all = points.indices.filter(isWanted).map { (metres: Int(place.metres(to: points[$0])), item: $0) }
      .filter { Double($0.metres) <= radius }
    // Only items at most as far as the last one wanted are put in order.
    let farthest = all.map(\.metres).sorted().prefix(limit).last ?? 0
    return Array(all.filter { $0.metres <= farthest }.sorted(by: <).prefix(limit)).map { [$0.metres, $0.item] }
  }
}

/// A tree with its memory.
private struct Tree {
  let order: [UInt8]
  let coordinates: [UInt8]
  let count: Int

  init(_ points: [GeoPoint], order: [UInt8]? = nil) {
    (self.order, coordinates) = (order ?? PointTreeBuilder.build(points), CoordinateTable.encode(points))
    count = points.count
  }

  /// (metres, item) of the nearest, and how many were looked at.
  func near(
    _ place: GeoPoint, _ limit: Int, _ radius: Double, leaves: Int = .max, _ isWanted: (Int) -> Bool = { _ in true }
  ) -> (found: [[Int]], visited: Int) {
    order.withUnsafeBytes { order in
      coordinates.withUnsafeBytes { coordinates in
        var neighbours = Neighbours()
        let points = CoordinateTable(coordinates, count: count)
        let search = PointSearch(PointTree(order, count: count), to: place, points: points)
        search.begin(limit: limit, radius: radius, into: &neighbours)
        while !search.advance(leaves: leaves, into: &neighbours, where: isWanted) {}
        return (
          (0..<neighbours.count).map { [Int(neighbours[$0].metres), neighbours[$0].item] }, neighbours.visited
        )
      }
    }
  }
}
