import Banks
import CitiesProtocol
import Geodesy
import Resident
import TestSupport

@testable import CitiesServer

/// Locations in three countries that are few enough to be known by heart.
enum SmallBanks {
  static let locations: [BankLocation] = [
    // Õ stands with O, and what has no region comes last.
    make("swedbank-ee", .branch, "Õismäe", "Ehitajate tee 107", "Haabersti", 59.412, 24.648, "E-R 9.00-17.00"),
    make("swedbank-ee", .atm, "oismae Prisma", "Paldiski mnt 102", "Haabersti", 59.409, 24.651, "24h"),
    make("swedbank-ee", .bna, "Kärdla kontor", "Keskväljak 5a", "Hiiu maakond", 58.9976, 22.7474, nil),
    make("swedbank-ee", .unknown(7), nil, "Kesk 4", nil, 58.7486, 26.398, "Lepingu alusel"),
    make("swedbank-lv", .branch, "Āgenskalns", "Bāriņu iela 1", "Rīga", 56.936, 24.074, nil),
    make("swedbank-lv", .atm, "Zolitūde", "Rostokas 5", "Rīga", 56.944, 24.012, "24h"),
    make("swedbank-lv", .atm, "Cēsis", "Raunas 8", "Cēsu novads", 57.312, 25.271, "24h"),
    make("swedbank-lt", .branch, "Žvėrynas", "Kęstučio 1", "Šiaulių apskritis", 55.93, 23.31, nil),
    make("swedbank-lt", .atm, "Alytus", "Pulko 53", "Alytaus apskritis", 54.396, 24.041, nil),
    make("imaginary", .branch, "Poslovnica", "Zelenih beretki 24", nil, 43.858, 18.428, "P 22.00-2.00", id: "4"),
  ]

  private static let zones = ["EE": "Europe/Tallinn", "LV": "Europe/Riga", "LT": "Europe/Vilnius"]

  private static func make(
    _ bank: String, _ kind: LocationKind, _ name: String?, _ address: String, _ region: String?, _ latitude: Double,
    _ longitude: Double, _ availability: String?, id: String? = nil
  ) -> BankLocation {
    let country = bank.hasPrefix("swedbank-") ? String(bank.suffix(2)).uppercased() : "BA"
    var location = BankLocation(
      bank: bank, sourceID: id, kind: kind, name: name, address: address, region: region, country: country,
      point: GeoPoint(latitude: latitude, longitude: longitude), zone: zones[country] ?? "Europe/Sarajevo")
    location.availability = availability
    location.hours = availability.flatMap { WeeklyHours(availability: $0, language: .estonian) }
    return location
  }

  /// The reports of all feeds, taken now.
  static var reports: [FeedReport] {
    Subject.banks.feeds.map { FeedReport(feed: $0, asOf: .now, source: "/srv/\($0.rawValue).json", interval: 3_600) }
  }

  /// An index of `locations` at `path`, replacing the one there; the other bank's are samples.
  static func write(_ locations: [BankLocation] = SmallBanks.locations, to path: String) throws {
    var builder = BankIndexBuilder()
    for location in locations { _ = try builder.add(location) }
    let parts = Subject.banks.feeds.compactMap { feed in
      let count = locations.count { $0.bank == feed.rawValue }
      return count == 0 ? nil : ResidentBanks.Part(feed: feed, records: UInt64(count), sample: feed == .imaginary)
    }
    try ResidentBanks.image(of: builder, fingerprint: 1, feeds: parts).write(to: path)
    waitUntilUnwritten(path)
  }
}

extension RunningServer {
  /// Starts a server with the small banks and the reports of their feeds.
  static func withBanks(
    _ locations: [BankLocation] = SmallBanks.locations, reports: [FeedReport] = SmallBanks.reports,
    hasCities: Bool = true, isPrivate: Bool = false
  ) throws -> RunningServer {
    try RunningServer(hasData: hasCities) { configuration in
      configuration.isPrivate = isPrivate
      let state = configuration.stateFolder
      do {
        try SmallBanks.write(locations, to: "\(state)/banks.resident")
        try ResidentFeeds.image(reports).write(to: "\(state)/feeds.resident")
      } catch {
        fatalError("the test's banks cannot be written: \(error)")
      }
    }
  }

  /// The path of the bank index.
  var bankIndex: String { folder.path("state/banks.resident") }
}
