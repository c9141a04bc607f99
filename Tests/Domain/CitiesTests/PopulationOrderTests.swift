import Base
import TestSupport
import Testing

@testable import Cities

@Suite("pages by population from a wavelet matrix")
struct PopulationOrderTests {
  @Test(arguments: 0...33) func `every range of every small size gives its places in order`(size: Int) {
    let places = Self.shuffled(size)
    Self.withOrder(places) { order in
      for start in 0...size {
        for end in start...size {
          let sorted = places[start..<end].sorted()
          #expect(Self.page(order, [start..<end], 0, size + 1) == sorted)
          #expect(
            Self.page(order, [start..<end], sorted.count / 2, 2) == Array(sorted.dropFirst(sorted.count / 2).prefix(2)))
        }
      }
    }
  }

  @Test(arguments: [1, 7, 64, 65, 300])
  func `every offset and limit of several ranges is a page of their places in order`(size: Int) {
    let places = Self.shuffled(size)
    var random = SeededGenerator(seed: UInt64(size))
    Self.withOrder(places) { order in
      for _ in 0..<12 {
        let cuts = (0..<6).map { _ in Int.random(in: 0...size, using: &random) }.sorted()
        let runs = [cuts[0]..<cuts[1], cuts[2]..<cuts[3], cuts[4]..<cuts[5]]
        let sorted = runs.flatMap { places[$0] }.sorted()
        for offset in [0, 1, sorted.count / 3, max(sorted.count - 1, 0), sorted.count, sorted.count + 5, .max] {
          for limit in [0, 1, 3, size, .max] {
            #expect(Self.page(order, runs, offset, limit) == Array(sorted.dropFirst(offset).prefix(limit)))
          }
        }
      }
    }
  }

  @Test func `ranges outside are cut, and bytes of another size are a table of nothing`() {
    let places = Self.shuffled(10)
    Self.withOrder(places) { #expect(Self.page($0, [5..<1_000], 0, 100) == places[5...].sorted()) }
    let bytes = PopulationOrder.encode(places)
    for count in [0, 9, 11, 400] {
      bytes.withUnsafeBytes { bytes in
        let isSame = PopulationOrder.size(of: count) == bytes.count
        let found = Self.page(PopulationOrder(bytes, count: count), [0..<count], 0, 100)
        if !isSame { #expect(found.isEmpty) }
      }
    }
  }

  @Test(
    arguments: 0..<200)
  func `a damaged table gives no more places than were asked for, each below the next power of two`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = PopulationOrder.encode(Self.shuffled(100))
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
    bytes.withUnsafeBytes { bytes in
      for range in [0..<100, 3..<4, 40..<99] {
        let found = Self.page(PopulationOrder(bytes, count: 100), [range], 1, 20)
        #expect(found.count <= 20 && found.allSatisfy { $0 < 128 })
      }
    }
  }

  /// The numbers below `size` in a seeded order.
  private static func shuffled(_ size: Int) -> [UInt32] {
    var random = SeededGenerator(seed: UInt64(size))
    return (0..<UInt32(size)).shuffled(using: &random)
  }

  private static func withOrder(_ places: [UInt32], _ body: (PopulationOrder) -> Void) {
    let bytes = PopulationOrder.encode(places)
    #expect(bytes.count == PopulationOrder.size(of: places.count))
    bytes.withUnsafeBytes { body(PopulationOrder($0, count: places.count)) }
  }

  private static func page(_ order: PopulationOrder, _ runs: [Range<Int>], _ offset: Int, _ limit: Int) -> [UInt32] {
    var list = RunList()
    for run in runs { list.append(run) }
    var found: [UInt32] = []
    order.forEachPlace(in: list, offset: offset, limit: limit) { found.append(UInt32($0)) }
    return found
  }
}
