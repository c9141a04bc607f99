import Banks
import Base
import CivilTime
import Geodesy
import Glibc
import TestSupport
import Testing

/// Prints figures; not a test. In an optimised build, from the repository:
///
///     CITIES_MEASURE=1 swift test -c release --filter BankMeasurements
@Suite(
  "figures of the bank index", .serialized,
  .enabled(if: getenv("CITIES_MEASURE") != nil, "set CITIES_MEASURE to print figures"))
struct BankMeasurements {
  @Test func `a few thousand locations: building, opening and every question`() throws {
    let locations = MadeUpLocations.make(3_000, seed: 1)
    report("build 3,000", 5) { _ = try? BuiltIndex.sections(locations) }
    let sections = try BuiltIndex.sections(locations).sections
    print("sections without rows \(sections.filter { $0.key != .rows }.values.reduce(0) { $0 + $1.count }) bytes")
    report("copy and open", 100) { _ = try? BuiltIndex(sections: sections) }
    let index = try BuiltIndex(sections: sections)
    let calendar = LocalCalendar(for: index.index, rules: MadeUpZones.named)
    let open = BankFilter(open: calendar.moment(.instant(1_774_746_000)))
    report("regions", 500) { _ = try? index.index.regions() }
    report("list of a region", 500) { _ = try? index.index.list(BankFilter(country: "Estonia", region: "Alytus")) }
    report("list of all that is open", 500) { _ = try? index.index.list(open) }
    report("search, two words", 500) { _ = try? index.index.search(KeywordQuery("gedimino silute")) }
    let place = GeoPoint(latitude: 59.4, longitude: 24.7)
    for (name, filter) in [("near", BankFilter()), ("near, open", open)] {
      report(name, 500) { _ = try? index.index.near(place, limit: 10, filter) }
    }
  }

  private func report(_ name: String, _ rounds: Int, _ ask: () -> Void) {
    let times = (0..<5).map { _ in ContinuousClock().measure { for _ in 0..<rounds { ask() } } }
    print(name, (times.min() ?? .zero) / rounds)
  }
}
