import Banks
import Cities
import CitiesProtocol
import Geodesy
import Resident
import TestSupport
import Testing

@testable import FeedSync

/// The zone of a place, and positions that cannot be right.
@Suite struct PlaceSurroundingsTests {
  /// A city list in a state folder.
  private func state(_ cities: [(name: String, country: String, lat: Double, lon: Double, zone: String)]) throws
    -> TemporaryFolder
  {
    let folder = try TemporaryFolder()
    var builder = CityIndexBuilder()
    for (index, one) in cities.enumerated() {
      var city = City(
        id: UInt64(index + 1), name: one.name, country: one.country, latitude: one.lat, longitude: one.lon,
        population: nil)
      city.zone = one.zone
      _ = try builder.add(city)
    }
    try ResidentCities.image(of: builder, fingerprint: 1).write(to: folder.path("cities.index"))
    return folder
  }

  private static let cities = [
    ("New York City", "US", 40.71, -74.0, "America/New_York"),
    ("Los Angeles", "US", 34.05, -118.24, "America/Los_Angeles"),
    ("Tijuana", "MX", 32.5, -117.02, "America/Tijuana"), ("Tallinn", "EE", 59.44, 24.75, "Europe/Tallinn"),
    ("Nowhere", "US", 45, -100, "America/Nowhere"),
  ]

  private func described(
    _ lat: Double, _ lon: Double, _ country: String, zone: String = "America/New_York", with cities: Bool = true
  ) throws -> (location: BankLocation, remark: String?) {
    let folder = try state(cities ? Self.cities : [])
    let places = PlaceSurroundings(state: StateFolder(path: folder.path))
    var location = BankLocation(
      bank: "b", kind: .branch, address: "", country: country, point: GeoPoint(latitude: lat, longitude: lon),
      zone: zone)
    let remark = places.describe(&location)
    return (location, remark)
  }

  @Test(arguments: [
    (34.1, -118.3, "US", "America/Los_Angeles"), (40.6, -74.1, "US", "America/New_York"),
    // No city within 50 km, one of another country, or one in a zone that this machine does not know.
    (36, -100, "US", "Etc/Unknown"), (32.55, -117.02, "US", "Etc/Unknown"), (45, -100, "US", "Etc/Unknown"),
    // The zones of these countries are alike.
    (58.3, 26.7, "EE", "America/New_York"), (-34.6, -58.4, "AR", "America/New_York"),
    (52.5, 13.4, "DE", "America/New_York"),
    (48, 67, "XX", "America/New_York"),
  ])
  func `the zone is that of the nearest city in the country, else that of the feed`(
    lat: Double, lon: Double, country: String, zone: String
  ) throws {
    #expect(try described(lat, lon, country).location.zone == zone)
  }

  @Test(arguments: [
    (
      24.75, 59.44, "EE",
      #"the position "24.75,59.44" is far outside Estonia: latitude and longitude seem to be exchanged"#
    ),
    (10, 10, "EE", #"the position "10.0,10.0" is far outside Estonia"#),
    (59.44, 24.75, "EE", nil), (59.9, 24.9, "EE", nil), (57.7, 26.1, "EE", nil), (56.95, 24.1, "EE", "*"),
    (25.06, 58.2, "LT", "*"), (43.73, 7.42, "MC", nil), (44.4, 7.42, "MC", "*"), (1, 1, "XX", nil),
    (-17.5, 178, "FJ", nil),
    (-16.8, -179.9, "FJ", nil), (89.9, 0, "NO", "*"),
  ])
  func `a position far outside its country is suspicious`(
    lat: Double, lon: Double, country: String, remark: String?
  ) throws {
    for cities in [true, false] {
      let found = try described(lat, lon, country, with: cities)
      #expect(found.location.isSuspicious == (remark != nil))
      #expect(remark == "*" ? found.remark != nil : found.remark == remark)
    }
  }

  @Test func `feeds are imported at the same time`() throws {
    let folder = try state(Self.cities)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let countries = letters.flatMap { first in letters.map { "\(first)\($0)" } }
    for _ in 0..<20 {
      let places = PlaceSurroundings(state: StateFolder(path: folder.path))
      let threads = (0..<4).map { _ in
        BackgroundThread {
          for country in countries {
            var location = BankLocation(
              bank: "b", kind: .branch, address: "", country: country, point: GeoPoint(latitude: 0, longitude: 0),
              zone: "Europe/Tallinn")
            _ = places.describe(&location)
          }
        }
      }
      for thread in threads { thread.join() }
    }
  }

  @Test func `a new city list is part of the origin`() throws {
    let configuration = try SyncConfiguration(environment: [:], user: 1_000)
    let folders = [[], Array(Self.cities.prefix(1)), Self.cities]
    let settings = try folders.map { cities in
      let folder = try state(cities)
      return BankImporter(configuration, surroundings: PlaceSurroundings(state: StateFolder(path: folder.path)))
        .settings(of: .swedbankEE)
    }
    #expect(Set(settings.map { $0.joined(separator: " ") }).count == 3)
    #expect(BankImporter(configuration).settings(of: .swedbankEE) == ["EE", "Europe/Tallinn"])
  }

  @Test func `the position 0,0 is left out, and a suspicious one marked`() throws {
    let text = #"[{"lat": 0, "lon": 0, "t": 1}, {"lat": 25, "lon": 59, "t": 1}, {"lat": 59, "lon": 25, "t": 1}]"#
    let importer = BankImporter(try SyncConfiguration(environment: [:], user: 1_000))
    let contents = try importer.examine(.swedbankEE, Array(text.utf8))
    #expect(contents.counts == RecordCounts(kept: 2, skipped: 1) && contents.counts.remarked == 1)
    #expect(contents.notes[0].description == "record 1 skipped: the position 0,0 stands for none")
    #expect(contents.notes.count == 2 && contents.notes[1].description.hasPrefix("record 2 remarked: the position"))
    let image = try importer.image(of: [.swedbankEE: SourceCopy(bytes: Array(text.utf8))])
    let folder = try TemporaryFolder()
    try image.write(to: folder.path("banks.resident"))
    try ResidentBanks(path: folder.path("banks.resident")).verify()
    #expect(try openedRows(image).map(\.suspicious).sorted { $0 == nil && $1 != nil } == [nil, true])
  }

  // MARK: Places that move

  private func places(
    _ count: Int, isNamed: Bool = true, _ position: (Int) -> (Double, Double)
  ) -> [PlaceSample.Place] {
    (0..<count).map { index in
      let (lat, lon) = position(index)
      var location = BankLocation(
        bank: "b", kind: .atm, address: isNamed ? "Street \(index)" : "", country: "EE",
        point: GeoPoint(latitude: lat, longitude: lon), zone: "Europe/Tallinn")
      location.sourceID = isNamed ? "\(index)" : nil
      return PlaceSample.Place(location)
    }
  }

  @Test func `a list in which most places have moved far is refused`() {
    let limits = LossLimits()
    let before = places(1_000) { (58 + Double($0) / 1_000, 25) }
    let old = PlaceSample(before)
    let near = places(1_000) { (58.5 + Double($0) / 1_000, 25) }
    let swapped = places(1_000) { (25, 58 + Double($0) / 1_000) }
    #expect(limits.excess(from: old, to: before) == nil && limits.excess(from: old, to: near) == nil)
    let excess = limits.excess(from: old, to: swapped)
    #expect(excess == "256 of 256 places that were compared are more than 100 km away from where they were")
    // Half of them, other places, and few places.
    let half = places(1_000) { $0 < 400 ? (25, 58) : (58 + Double($0) / 1_000, 25) }
    #expect(limits.excess(from: old, to: half) == nil)
    #expect(limits.excess(from: PlaceSample(places(19) { _ in (58, 25) }), to: places(19) { _ in (25, 58) }) == nil)
    #expect(limits.excess(from: nil, to: swapped) == nil)
    var off = LossLimits()
    off.percent = 100
    #expect(off.excess(from: old, to: swapped) == nil)
  }

  @Test func `a place that shares its name has moved if none of that name is near`() throws {
    let place = { (lat: Double) in PlaceSample.Place(key: 7, lat: lat, lon: 0) }
    let two = try #require(PlaceSample([place(1), place(50)]))
    #expect(two.moved(to: [place(80)]) == (2, 2) && two.moved(to: [place(80), place(50.5)]) == (1, 2))
    #expect(two.moved(to: [PlaceSample.Place(key: 8, lat: 80, lon: 0)]) == (0, 0))
    #expect(PlaceSample([]) == nil)
  }

  @Test func `a list without ids and names whose positions are exchanged is refused`() {
    let old = PlaceSample(places(1_000, isNamed: false) { (58 + Double($0) / 1_000, 25) })
    let near = places(900, isNamed: false) { (58.1 + Double($0) / 1_000, 25) }
    let swapped = places(1_000, isNamed: false) { (25, 58 + Double($0) / 1_000) }
    #expect(LossLimits().excess(from: old, to: near) == nil)
    #expect(LossLimits().excess(from: old, to: swapped)?.hasPrefix("256 of 256 places") == true)
  }
}
