import Cities
import Geodesy
import Glibc
import TestSupport
import Testing
import Text

/// Prints figures; not a test. In an optimised build, from the repository:
///
///     for peer in index list sorted tree hash; do
///       CITIES_MEASURE=$peer swift test -c release --filter CityMeasurements
///     done
///
/// A process measures one representation, so that none lives in memory that another gave back.
@Suite(
  "figures of the city index", .serialized,
  .enabled(if: getenv("CITIES_MEASURE") != nil, "set CITIES_MEASURE to print figures"),
  .enabled(if: RealCities.path != nil, "no shared/data/cities.json.gz beside the checkout"))
struct CityMeasurements {
  private static let wanted = getenv("CITIES_MEASURE").map { String(cString: $0) } ?? ""

  @Test func `look-ups, sizes and nodes`() throws {
    let clock = ContinuousClock()
    let cities = RealCities.records.map {
      City(id: $0.id, name: $0.name, country: $0.country, latitude: $0.coord.lat, longitude: $0.coord.lon)
    }
    var sections: [CitySection: [UInt8]] = [:]
    print("build \(try clock.measure { sections = try BuiltIndex.sections(cities) })")
    for section in CitySection.allCases { print(section.rawValue, sections[section]?.count ?? 0) }
    let built = try BuiltIndex(sections: sections)
    measureLookups(built.index, cities)
    if Self.wanted == "index" { measureNear(built.index) }
  }

  private func measureLookups(_ index: CityIndex, _ cities: [City]) {
    let folder = CaseFolder()
    let keys = cities.map { folder.folded("\($0.name), \($0.country)", .plain) }.sorted {
      $0.lexicographicallyPrecedes($1)
    }
    var random = SeededGenerator(seed: 5)
    let queries = (0..<50_000).map { _ in
      let key = keys.randomElement(using: &random) ?? []
      return Array(key.prefix(.random(in: 0...key.count, using: &random)))
    }
    let names = queries.map { $0.prefix { $0 != UInt8(ascii: ",") } }.map(Array.init)
    defer { reportPeers(keys, names) }
    guard Self.wanted == "index" else { return }
    var matches = CityMatches()
    report("index, whole search, prefixes of titles", queries) {
      index.search($0, into: &matches); return matches.total
    }
    report("index, whole search, prefixes of names", names) {
      index.search($0, into: &matches); return matches.total
    }
    report("index, folded", names) {
      index.search($0, .folded, into: &matches); return matches.total
    }
    report("index, one country", names) {
      index.search($0, country: "us", into: &matches); return matches.total
    }
    print("index, by population, all: \(ContinuousClock().measure { _ = index.idsByPopulation(matches, limit: 20) })")
  }

  private func reportPeers(_ keys: [[UInt8]], _ queries: [[UInt8]]) {
    report(SortedPeer.self, keys, queries)
    report(TreePeer.self, keys, queries)
    report(HashPeer.self, keys, queries)
    report(ListPeer.self, keys, Array(queries.prefix(50)))
  }

  private func report<P: Peer>(_: P.Type, _ keys: [[UInt8]], _ queries: [[UInt8]]) {
    guard P.name.contains(Self.wanted) else { return }
    let before = residentBytes()
    let peer = P(sortedKeys: keys)
    print(P.name, "takes \((residentBytes() - before) / 1024) KiB")
    report(P.name, queries) { peer.count($0) }
  }

  private func report(_ name: String, _ queries: [[UInt8]], _ ask: ([UInt8]) -> Int) {
    var found = 0
    let times = (0..<5).map { _ in
      ContinuousClock().measure { for query in queries { found &+= ask(query) } }
    }
    print(name, "\((times.min() ?? .zero) / queries.count) a look-up, \(found / 5) found")
  }

  private func measureNear(_ index: CityIndex) {
    var random = SeededGenerator(seed: 11)
    var neighbours = Neighbours()
    let places = (0..<2_000).map { _ in
      GeoPoint(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
    }
    for (what, places) in [
      ("anywhere", places), ("in cities", places.indices.map { index.point(at: $0 * 104) }),
    ] {
      var visited: [Int] = []
      let time = ContinuousClock().measure {
        for place in places {
          index.near(place, limit: 10, into: &neighbours)
          visited.append(neighbours.visited)
        }
      }
      visited.sort()
      print(
        "near \(what): \(time / places.count), leaves median \(visited[1000]) p99 \(visited[1980]) max \(visited[1999])"
      )
    }
  }
}
