import CitiesProtocol

/// Moments and replies about banks, for tests.
enum Banks {
  static let asOf = Timestamp(text: "2026-03-01T12:00:00Z")
  static let generation = "00000000000000bb"

  /// A source that is well.
  static let sources = Provenance(feeds: [.init(feed: .swedbankLT, asOf: asOf, stale: false)])
  static let samples = Provenance(feeds: sources.feeds, sample: true)
  /// A source whose last attempt failed.
  static let troubled = Provenance(feeds: [
    .init(feed: .swedbankLT, asOf: asOf, stale: true, lastError: "no route"),
    .init(feed: .imaginary, asOf: asOf, stale: false),
  ])

  /// A source that never delivered, beside one that is well.
  static var missing: Provenance {
    var missing = Provenance.Source(feed: .swedbankLV, stale: true, lastError: "no route")
    missing.missing = "feed swedbank-lv failed: no route"
    return Provenance(feeds: [sources.feeds[0], missing])
  }

  /// A location with everything that one can have.
  static var full: BankRow {
    var row = BankRow(
      id: "swedbank-lt-1f0c9a77", bank: "swedbank-lt", kind: .branch, name: "Alytaus skyrius", address: "Pulko g. 1",
      region: "Alytus", country: "LT", countryName: "Lithuania", lat: 54.396, lon: 24.046, zone: "Europe/Vilnius")
    (row.phone, row.email, row.website) = ("+370 1", "a@b.example", "https://b.example/")
    (row.info, row.availability, row.noCash, row.coinStation) = ("first\nsecond", "I-V", true, true)
    row.hours = [
      OpeningHours(day: 0, opens: 540, closes: 1_020), OpeningHours(day: 4, opens: 1_320, closes: 1_560),
      OpeningHours(day: 4, opens: 0, closes: 60), OpeningHours(day: 5, opens: 0, closes: 1_440),
    ]
    return row
  }

  /// A location with as little as one can have.
  static var least: BankRow {
    BankRow(
      id: "swedbank-lt-00000001", bank: "swedbank-lt", kind: .atm, address: "Vytauto 2", country: "LT",
      countryName: "Lithuania", lat: -0.5, lon: 24, zone: "Europe/Vilnius")
  }

  static func page(_ rows: [BankRow], total: UInt64? = nil, sources: Provenance = sources) -> BankPage {
    let entries = rows.map { BankEntry(location: $0, open: $0.hours == nil ? .unknown : .yes) }
    return BankPage(rows: entries, total: total ?? UInt64(rows.count), sources: sources, generation: generation)
  }

  /// Two regions of one country and one of another.
  static func regions(_ sources: Provenance = sources) -> BankRegions.Reply {
    .init(
      countries: [
        .init(country: "EE", name: "Estonia", count: 7, regions: [.init(name: "Põlva", count: 7)]),
        .init(
          country: "LT", name: "Lithuania", count: 12,
          regions: [.init(name: "Alytus", count: 10), .init(name: nil, count: 2)]),
      ], total: 19, sources: sources, generation: generation)
  }
}
