import Banks
import Cities
import CitiesProtocol
import Geodesy
import Money
import Resident

/// A resident file that the oracle knows: one of several variants of a subject's data.
final class Image {
  let subject: Subject
  /// Which variant.
  let variant: Int
  /// The name that replies give the data.
  let generation: String
  let bytes: [UInt8]

  init(_ subject: Subject, variant: Int, _ image: ResidentImage) {
    (self.subject, self.variant) = (subject, variant)
    generation = image.generation.description
    bytes = image.bytes
  }

  /// Variants of each subject.
  static let variants = 3

  /// All variants of all subjects.
  ///
  /// - Throws: if an image cannot be built, which is a fault of this program.
  static func all() throws -> [Subject: [Image]] {
    [
      .cities: try (0..<variants).map { Image(.cities, variant: $0, try cities($0)) },
      .banks: try (0..<variants).map { Image(.banks, variant: $0, try banks($0)) },
      .trade: try (0..<variants).map { Image(.trade, variant: $0, try trade($0)) },
    ]
  }

  /// Names of cities: no two variants have the same ones.
  static func name(_ number: Int, variant: Int) -> String {
    let syllables = ["al", "ba", "bur", "ge", "lo", "mar", "nor", "san", "ta", "vil", "wes", "zu"]
    let (first, second) = (syllables[number % 12], syllables[number / 12 % 12])
    let third = syllables[(number + variant) % 12]
    return first.prefix(1).uppercased() + first.dropFirst() + second + third
  }

  private static func cities(_ variant: Int) throws -> ResidentImage {
    var builder = CityIndexBuilder()
    for number in 0..<160 {
      var city = City(
        id: UInt64(10 + number), name: name(number, variant: variant), country: ["DE", "FR", "US", "EE"][number % 4],
        latitude: Double(number * 7 % 160) - 80 + Double(variant) / 8, longitude: Double(number * 37 % 340) - 170,
        population: UInt64(number * number % 977 * 1_000 + variant))
      city.alternates = ["Alt\(number)", "Other\(number * 3 % 100)"]
      city.zone = ["Europe/Berlin", "Europe/Paris", "America/New_York", "Europe/Tallinn"][number % 4]
      (city.regionCode, city.region) = ("R\(number % 9)", "Region \(number % 9)")
      _ = try builder.add(city)
    }
    return try ResidentCities.image(of: builder, fingerprint: UInt64(variant))
  }

  private static func banks(_ variant: Int) throws -> ResidentImage {
    var builder = BankIndexBuilder()
    for number in 0..<120 {
      var location = BankLocation(
        bank: number % 2 == 0 ? "swedbank-ee" : "swedbank-lv", kind: [.branch, .atm, .bna][number % 3],
        name: "Office \(number) of \(variant)", address: "Street \(number * 7 % 50)", region: "Region \(number % 7)",
        country: number % 2 == 0 ? "EE" : "LV",
        point: GeoPoint(latitude: 55 + Double(number) / 40, longitude: 24 + Double(number * 13 % 50) / 10),
        zone: number % 2 == 0 ? "Europe/Tallinn" : "Europe/Riga")
      location.availability = "24h"
      _ = try builder.add(location)
    }
    let parts = [FeedName.swedbankEE, .swedbankLV].map { ResidentBanks.Part(feed: $0, records: 60) }
    return try ResidentBanks.image(of: builder, fingerprint: UInt64(variant), feeds: parts)
  }

  private static func trade(_ variant: Int) throws -> ResidentImage {
    let codes = try ["CAD", "EUR", "GBP", "JPY", "USD", "XTS"].map { try CurrencyCode($0) }
    let given = [("EUR", "USD", "1.359"), ("CAD", "EUR", "0.732"), ("JPY", "USD", "0.0067"), ("GBP", "EUR", "1.17")]
    let rates = try given.map { from, to, value in
      try Rate(from: CurrencyCode(from), to: CurrencyCode(to), value: ExactDecimal(parsing: value + "\(variant)"))
    }
    let sales = try (0..<800).map { number in
      Transaction(
        product: try ProductCode("P\(number % 40)"),
        amount: try ExactDecimal(mantissa: Int128(number * 7_919 % 20_000 - 5_000 + variant), scale: 2),
        currency: codes[number % 6])
    }
    let book = TradeBook(rates: try RateTable(rates), ledger: ProductLedger(sales))
    let summary = ResidentTrade.Summary(
      feeds: [
        .init(feed: .rates, records: UInt64(rates.count), skipped: 0),
        .init(feed: .transactions, records: UInt64(sales.count), skipped: 0),
      ], sample: false)
    return try ResidentTrade.image(of: book, summary: summary, fingerprint: UInt64(variant))
  }
}

extension Subject {
  /// The subjects of the simulation, in the order of the server's.
  static let simulated: [Subject] = [.cities, .banks, .trade]

  /// The kind of its resident file.
  var kind: ResidentKind {
    switch self {
    case .cities: ResidentCities.kind
    case .banks: ResidentBanks.kind
    default: ResidentTrade.kind
    }
  }

  /// Where its file is looked for: in the state folder, then where it is installed.
  var paths: [String] { ["\(Places.state)/\(kind.fileName)", "\(Places.share)/\(kind.installedName)"] }
}

/// The simulated folders and sockets.
enum Places {
  static let state = "/simulated/state"
  static let share = "/simulated/share"
  static let socket = "/simulated/citiesd.sock"
  static let sync = "/simulated/sync.sock"
}
