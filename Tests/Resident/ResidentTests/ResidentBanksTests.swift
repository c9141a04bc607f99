import Banks
import Base
import CBOR
import CitiesProtocol
import CivilTime
import Geodesy
import Resident
import ResidentQuestions
import TestSupport
import Testing

private let locations: [BankLocation] = {
  var branch = BankLocation(
    bank: "swedbank-lt", kind: .branch, name: "Žvėrynas", address: "Kęstučio g. 1", region: "Vilnius", country: "LT",
    point: GeoPoint(latitude: 54.69, longitude: 25.25), zone: "Europe/Vilnius")
  branch.hours = WeeklyHours(
    [.init(weekday: 4, opens: 540, closes: 1_080), .init(weekday: 7, opens: 600, closes: 720)].compactMap(\.self),
    namesHolidays: true)
  (branch.availability, branch.info, branch.noCash, branch.coinStation) = ("V 9–18", "a\nb", true, true)
  let unknown = BankLocation(
    bank: "swedbank-ee", kind: .unknown(7), address: "Kesk 4", country: "EE",
    point: GeoPoint(latitude: -90, longitude: 180), zone: "Europe/Tallinn")
  var other = BankLocation(
    bank: "imaginary", sourceID: "4", kind: .atm, name: "Šipad", address: "", country: "BA",
    point: GeoPoint(latitude: 43.858973, longitude: 18.419791), zone: "Europe/Sarajevo")
  (other.phone, other.email, other.website) = ("+387 35", "a@b.example", "https://b.example/")
  other.hours = .always
  return [branch, unknown, other]
}()

private let parts: [ResidentBanks.Part] = [
  .init(feed: .swedbankLT, records: 1, skipped: 2), .init(feed: .imaginary, records: 1, sample: true),
]

private func image(of locations: [BankLocation], fingerprint: UInt64 = 1) throws -> ResidentImage {
  var builder = BankIndexBuilder()
  for location in locations { _ = try builder.add(location) }
  return try ResidentBanks.image(of: builder, fingerprint: fingerprint, feeds: parts)
}

@Suite("Resident banks")
struct ResidentBanksTests {
  let folder: TemporaryFolder
  var path: String { folder.path("banks.resident") }

  init() throws { folder = try TemporaryFolder() }

  /// A sound file.
  static func sound() throws -> ResidentImage { try image(of: locations) }

  @Test func `rows are the wire's encoding of the locations, in the order of headings`() throws {
    try image(of: locations).write(to: path)
    let resident = try ResidentBanks(path: path)
    let rows = withExtendedLifetime(resident) { (0..<resident.count).map { Array(resident.index.row(at: $0)) } }
    let ids = withExtendedLifetime(resident) { (0..<resident.count).map(resident.index.id) }
    let expected = zip(ids, [locations[2], locations[1], locations[0]]).map { BankRow(id: $0, $1) }
    #expect(try rows == expected.map { try CBOREncoder().encode($0) })
    #expect(resident.summary == ResidentBanks.Summary(records: 3, feeds: parts) && resident.summary.isSample)
  }

  @Test func `a row holds all that is known of a location, and nothing else`() {
    let row = BankRow(id: "x", locations[0])
    #expect(row.kind == .branch && row.code == nil && row.countryName == "Lithuania" && row.name == "Žvėrynas")
    #expect(row.noCash && row.coinStation && row.info == "a\nb" && row.availability == "V 9–18")
    #expect(row.hours == [OpeningHours(day: 4, opens: 540, closes: 1_080)] && row.zone == "Europe/Vilnius")
    let unknown = BankRow(id: "y", locations[1])
    #expect(unknown.kind == .unknown && unknown.code == 7 && unknown.hours == nil && unknown.region == nil)
    let other = BankRow(id: "imaginary-4", locations[2])
    #expect(other.phone == "+387 35" && other.email == "a@b.example" && other.website == "https://b.example/")
    #expect(other.hours?.count == 7 && other.hours?.last == OpeningHours(day: 6, opens: 0, closes: 1_440))
  }

  @Test func `the order in which locations come does not matter; their content and the fingerprint do`() throws {
    let whole = try image(of: locations)
    #expect(try image(of: locations.reversed()).bytes == whole.bytes)
    #expect(try image(of: Array(locations.dropLast())).generation != whole.generation)
    let other = try image(of: locations, fingerprint: 2)
    #expect(other.generation == whole.generation && other.bytes != whole.bytes)
  }

  @Test func `an index of no locations is an index`() throws {
    try image(of: []).write(to: path)
    let resident = try ResidentBanks(path: path)
    #expect(resident.count == 0 && resident.zoneProblems.isEmpty)
    try ResidentQuestions.ask(resident)
  }

  @Test func `a feed report is not a bank index`() throws {
    try ResidentFeeds.image([]).write(to: path)
    let error = #expect(throws: ResidentError.self) { try ResidentBanks(path: path) }
    #expect(error?.fault == .kind(expected: "BANK", found: "FEED"))
    #expect(error?.description.hasSuffix("citiesd-sync run") == true)
  }

  @Test
  func `a zone that the machine does not have leaves it unknown whether a location is open, and is reported`() throws {
    try image(of: locations).write(to: path)
    let resident = try ResidentBanks(
      file: ResidentFile(path: path, kind: ResidentBanks.kind), zones: ZoneFolder(path: folder.path))
    let states = (0..<3).map { resident.index.openState(at: $0, resident.calendar.moment(.instant(0))) }
    withExtendedLifetime(resident) {}
    #expect(states == [.unknown, .unknown, .unknown] && resident.zoneProblems.count == 3)
    let sarajevo = "no time zone \"Europe/Sarajevo\": there is no such file in \(folder.path) (package tzdata)"
    #expect(resident.zoneProblems.first == "\(sarajevo); whether its locations are open is unknown")
  }
}
