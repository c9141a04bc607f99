import Coroutines
import TestSupport
import Testing

@testable import Cities

@Suite struct AlternateNamesTests {
  /// 300 cities with up to ten other names, every third one without any.
  static func cities() -> [City] {
    (0..<300).map { number in
      var city = City(
        id: UInt64(number + 1), name: "Town \(number)", country: "AA", latitude: Double(number % 90), longitude: 1)
      if number % 3 > 0 { city.alternates = (0..<(number % 11)).map { "Name \($0) of \(number)" } }
      return city
    }
  }

  @Test(arguments: [1, 64, 100_000]) func `the names of the cities that are asked for, in any turns`(steps: Int) throws
  {
    let cities = Self.cities()
    let index = try BuiltIndex(cities).index
    let wanted = stride(from: 0, to: index.count, by: 5).reversed()
    let all = try Coroutine.inTurns(of: steps) { try await AlternateNames(of: wanted, index, $0) }
    let parts = (try #require(index.names).keys.count + 1_023) / 1_024
    #expect(all.turns == (steps <= 64 ? 1 + parts : 1))
    var bytes = 0
    for rank in 0..<index.count {
      let names = all.output.entries(of: rank).map { String(decoding: index.alternate($0), as: UTF8.self) }
      let city = try #require(cities.first { $0.id == index.id(at: rank) })
      #expect(names.sorted() == (wanted.contains(rank) ? city.alternates.sorted() : []))
      bytes += names.reduce(0) { $0 + $1.utf8.count + 1 }
    }
    #expect(all.output.bytes == bytes && bytes > 0)
  }

  @Test func `numbers of cities that there are not find nothing`() throws {
    let index = try BuiltIndex(Self.cities()).index
    let names = try Coroutine.complete { try await AlternateNames(of: [1 << 20, 300, 65_536 + 4], index, $0) }
    #expect(names.bytes == 0 && names.entries(of: 300).isEmpty && names.entries(of: 4).isEmpty)
  }
}
