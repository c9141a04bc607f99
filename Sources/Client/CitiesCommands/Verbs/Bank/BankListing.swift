internal import CitiesProtocol

/// The rows about locations of banks.
enum BankListing {
  /// The frozen columns of tsv and csv; a table shows those of them that people look for.
  ///
  /// `title lat lon id bank kind country country_name region name address open phone email website no_cash coin_station
  /// availability info hours zone code`; `near` has `distance` behind them.
  static let columns: [Column<BankEntry>] =
    placed.map { $0.of(\.location) } + [
      Column("open") { .text($0.open.rawValue) }
    ] + details.map { $0.of(\.location) }

  /// The columns, then `distance`.
  static let neighbourColumns = columns + [Column("distance") { Cell($0.distance) }]

  private static let machine: ColumnPlaces = [.rows, .json]

  private static let placed: [Column<BankRow>] = [
    Column("title", in: [.table, .rows]) { .text($0.title) },
    Column("lat", in: machine) { .number($0.lat) },
    Column("lon", in: machine) { .number($0.lon) },
    Column("id") { .text($0.id) },
    Column("bank", in: machine) { .text($0.bank) },
    Column("kind") { .text($0.kind.rawValue) },
    Column("country", in: machine) { .text($0.country) },
    Column("country_name", in: machine) { .text($0.countryName) },
    Column("region", in: machine) { Cell($0.region) },
    Column("name", in: machine) { Cell($0.name) },
    Column("address") { .text($0.address) },
  ]

  private static let details: [Column<BankRow>] = [
    Column("phone", in: machine) { Cell($0.phone) },
    Column("email", in: machine) { Cell($0.email) },
    Column("website", in: machine) { Cell($0.website) },
    Column("no_cash", in: machine) { .flag($0.noCash) },
    Column("coin_station", in: machine) { .flag($0.coinStation) },
    Column("availability", in: machine) { Cell($0.availability) },
    Column("info", in: machine) { Cell($0.info) },
    Column("hours", in: machine) { $0.hours.map { .wire($0, WeekText.short($0)) } ?? .absent },
    Column("zone", in: machine) { .text($0.zone) },
    Column("code", in: machine) { $0.code.map { .wire($0, "\($0)") } ?? .absent },
  ]

  /// A page of locations as a listing.
  static func of(_ page: BankPage, isUnderHeadings: Bool) -> Listing<BankEntry> {
    var listing = listing(page.rows, columns, page.total, page.generation, page.sources)
    if isUnderHeadings { listing.headings = { [$0.location.countryName, $0.location.region ?? RegionListing.none] } }
    return listing
  }

  /// Neighbours as a listing.
  static func of(_ reply: BankNear.Reply) -> Listing<BankEntry> {
    listing(reply.rows, neighbourColumns, UInt64(reply.rows.count), reply.generation, reply.sources)
  }

  /// One location as a listing.
  static func of(_ reply: BankGet.Reply) -> Listing<BankEntry> {
    listing([reply.entry], columns, 1, reply.generation, reply.sources)
  }

  private static func listing(
    _ rows: [BankEntry], _ columns: [Column<BankEntry>], _ total: UInt64, _ generation: String, _ sources: Provenance
  ) -> Listing<BankEntry> {
    var listing = Listing(columns: columns, rows: rows, total: total, generation: generation, sources: sources)
    listing.position = { Position(lat: $0.location.lat, lon: $0.location.lon) }
    return listing
  }
}

/// The rows about regions.
enum RegionListing {
  /// What stands in a heading for locations without a region.
  static let none = "(no region)"

  /// One region of a country.
  struct Row {
    var country: BankRegions.Country
    var region: BankRegions.Region
  }

  /// `country country_name region count`.
  static let columns: [Column<Row>] = [
    Column("country", in: [.rows, .json]) { .text($0.country.country) },
    Column("country_name", in: [.rows, .json]) { .text($0.country.name) },
    Column("region", in: [.rows, .json]) { Cell($0.region.name) },
    Column("region", in: .table) { .text($0.region.name ?? none) },
    Column("count") { .count($0.region.count) },
  ]

  /// The regions as a listing, with countries as headings.
  static func of(_ reply: BankRegions.Reply) -> Listing<Row> {
    let rows = reply.countries.flatMap { country in country.regions.map { Row(country: country, region: $0) } }
    return Listing(
      columns: columns, rows: rows, total: UInt64(rows.count), generation: reply.generation, sources: reply.sources,
      members: [("locations", .count(reply.total))],
      headings: { ["\($0.country.name) (\($0.country.count))"] })
  }
}
