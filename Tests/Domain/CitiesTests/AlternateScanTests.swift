import Testing

@testable import Cities

@Suite struct AlternateScanTests {
  /// 300 cities with up to ten other names, every third one without any.
  static func cities() -> [City] {
    (0..<300).map { number in
      var city = City(
        id: UInt64(number + 1), name: "Town \(number)", country: "AA", latitude: Double(number % 90), longitude: 1)
      if number % 3 > 0 { city.alternates = (0..<(number % 11)).map { "Name \($0) of \(number)" } }
      return city
    }
  }

  @Test(arguments: [1, 7, 64, 100_000])
  func `it finds the names of the cities that are asked for, in any steps`(
    step: Int
  ) throws {
    let cities = Self.cities()
    let index = try BuiltIndex(cities).index
    let wanted = stride(from: 0, to: index.count, by: 5).reversed()
    var scan = AlternateScan(wanted)
    while !scan.advance(entries: step, index) {}
    var bytes = 0
    for rank in 0..<index.count {
      let names = scan.entries(of: rank).map { String(decoding: index.alternate($0), as: UTF8.self) }
      let city = try #require(cities.first { $0.id == index.id(at: rank) })
      #expect(names.sorted() == (wanted.contains(rank) ? city.alternates.sorted() : []))
      bytes += names.reduce(0) { $0 + $1.utf8.count + 1 }
    }
    #expect(scan.bytes == bytes && bytes > 0)
  }

  @Test func `numbers of cities that there are not find nothing`() throws {
    let index = try BuiltIndex(Self.cities()).index
    var scan = AlternateScan([1 << 20, 300, 65_536 + 4])
    let isOver = scan.advance(entries: .max, index)
    #expect(isOver && scan.bytes == 0 && scan.entries(of: 300).isEmpty && scan.entries(of: 4).isEmpty)
  }
}
