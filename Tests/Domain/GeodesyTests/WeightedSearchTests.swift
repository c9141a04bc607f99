import Geodesy
import TestSupport
import Testing

@Suite("the heaviest points near a place against a plain scan")
struct WeightedSearchTests {
  private static let rule = WeightRule(
    reach: 2_500, reachPerWeight: 0.05, mostReach: 12_000, core: 500_000, coreWeight: 100)

  @Test(arguments: 0...40) func `every size from 0 to 40 equals the scan`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    let world = World(size, &random)
    for place in PointTreeTests.seams + (0..<8).map({ _ in World.somewhere(&random) }) {
      for limit in [1, 3, size, 1000] {
        for radius in [.infinity, 0, 100_000, 19_000_000] {
          #expect(world.found(place, limit, radius) == world.scanned(place, limit, radius))
        }
      }
    }
  }

  @Test func `20,000 seeded points equal the scan, by looking into few leaves`() {
    var random = SeededGenerator(seed: 20_000)
    let world = World(20_000, &random)
    for place in PointTreeTests.seams {
      #expect(world.found(place, 5, .infinity) == world.scanned(place, 5, .infinity))
      #expect(world.visited(place) < 200, "leaves looked into")
    }
  }

  @Test(arguments: [1, 2, 7]) func `the search has the same result in pieces of any length`(leaves: Int) {
    var random = SeededGenerator(seed: 3)
    let world = World(3_000, &random)
    let place = World.somewhere(&random)
    #expect(world.found(place, 10, .infinity, leaves: leaves) == world.found(place, 10, .infinity))
  }

  @Test func `any bytes give an answer, and a place that is no number finds nothing`() {
    for seed in UInt64(0)..<20 {
      var random = SeededGenerator(seed: seed)
      var world = World(50, &random)
      world.tree = world.tree.map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(world.found(PointTreeTests.seams[0], 1000, .infinity).count <= 50)
    }
    var random = SeededGenerator(seed: 1)
    #expect(World(50, &random).found(GeoPoint(latitude: .nan, longitude: 0), 5, .infinity).isEmpty)
  }

  /// Points with weights, a few of them a thousand times as heavy as others.
  private struct World {
    let points: [GeoPoint]
    let weights: [UInt32]
    var tree: [UInt8]

    init(_ count: Int, _ random: inout SeededGenerator) {
      points = (0..<count).map { _ in Self.somewhere(&random) }
      weights = (0..<count).map { number in
        number % 50 == 0 ? .random(in: 0...250_000, using: &random) : .random(in: 1...5, using: &random) * 50
      }
      tree = PointTreeBuilder.build(points, weights: weights)
    }

    /// Often a whole number of degrees, so that distances are equal.
    static func somewhere(_ random: inout SeededGenerator) -> GeoPoint {
      let place = GeoPoint(
        latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
      guard Bool.random(using: &random) else { return place }
      return GeoPoint(latitude: place.latitude.rounded(), longitude: place.longitude.rounded())
    }

    private func search<Result>(
      _ place: GeoPoint, _ limit: Int, _ radius: Double, leaves: Int, _ body: (Neighbours) -> Result
    ) -> Result {
      let coordinates = CoordinateTable.encode(points)
      return tree.withUnsafeBytes { tree in
        coordinates.withUnsafeBytes { coordinates in
          var neighbours = Neighbours()
          let search = WeightedSearch(
            PointTree(tree, count: points.count), around: place, by: rule,
            points: CoordinateTable(coordinates, count: points.count))
          search.begin(limit: limit, radius: radius, into: &neighbours)
          while !search.advance(leaves: leaves, into: &neighbours, weight: { weights[$0 % weights.count] }) {}
          return body(neighbours)
        }
      }
    }

    func found(_ place: GeoPoint, _ limit: Int, _ radius: Double, leaves: Int = .max) -> [[Int]] {
      search(place, limit, radius, leaves: leaves) { neighbours in
        (0..<neighbours.count).map { [Int(neighbours[$0].metres), neighbours[$0].item] }
      }
    }

    func visited(_ place: GeoPoint) -> Int { search(place, 5, .infinity, leaves: .max) { $0.visited } }

    func scanned(_ place: GeoPoint, _ limit: Int, _ radius: Double) -> [[Int]] {
      let all = points.indices.map { (metres: Int(place.metres(to: points[$0])), item: $0) }
      func worth(_ entry: (metres: Int, item: Int)) -> Double {
        let weight = Double(weights[entry.item])
        let share = Double(entry.metres) / min(2_500 + 0.05 * weight, 12_000)
        return weight / (1 + share * share) * (entry.metres <= 500_000 && weight >= 100 ? 1.5 : 1)
      }
      let sorted = all.filter { Double($0.metres) <= radius }.sorted { one, other in
        let (own, others) = (worth(one), worth(other))
        return own == others ? (one.metres, one.item) < (other.metres, other.item) : own > others
      }
      return sorted.prefix(limit).map { [$0.metres, $0.item] }
    }
  }
}
