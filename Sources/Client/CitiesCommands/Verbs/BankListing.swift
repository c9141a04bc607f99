package import CitiesProtocol

/// The columns of bank locations.
package enum BankListing {
  /// The stable columns of tsv and csv, and those of a table, the most important first.
  ///
  /// `title lat lon id bank kind country country_name region name address open phone email website no_cash coin_station
  /// availability info hours zone code holiday holiday_hours`; `near` has `distance` before the last two.
  static let columns: [ListingColumn<BankEntry>] = [title] + looked + machines + holidays

  /// The columns with `distance`, which comes after the title in a table.
  static let neighbourColumns: [ListingColumn<BankEntry>] =
    [title, ListingColumn("distance", in: .table, form: .distance) { RowValue($0.distance) }] + looked + machines
    + [ListingColumn("distance", in: machine) { RowValue($0.distance) }] + holidays

  private static let machine: ColumnPlaces = [.rows, .json]

  private static let title = ListingColumn<BankEntry>("title", in: [.table, .rows], weight: .name) {
    .text($0.location.title)
  }

  /// The columns that most people look for.
  private static let looked: [ListingColumn<BankEntry>] = [
    ListingColumn("open", in: .table, look: openLook) { .text($0.open.rawValue + reason($0)) },
    ListingColumn("kind", in: .table) { .text($0.location.kind.rawValue) },
    ListingColumn("address", in: .table) { .text($0.location.address) },
    ListingColumn("id", in: .table, form: .whole, weight: .id) { .text($0.location.id) },
  ]

  @Sendable fileprivate static func openLook(_ value: RowValue) -> Look? {
    switch value {
    case .text(OpenAnswer.yes.rawValue): .open
    case .text(OpenAnswer.no.rawValue): .closed
    default: nil
    }
  }

  /// The holiday for which the opening hours are unknown.
  private static func reason(_ entry: BankEntry) -> String {
    entry.open == .unknown ? entry.holiday.map { " (\($0))" } ?? "" : ""
  }

  private static let machines: [ListingColumn<BankEntry>] =
    placed.map { $0.of(\.location) } + [
      ListingColumn("open", in: machine) { .text($0.open.rawValue) }
    ] + details.map { $0.of(\.location) }

  private static let placed: [ListingColumn<BankRow>] = [
    ListingColumn("lat", in: machine) { .number($0.lat) },
    ListingColumn("lon", in: machine) { .number($0.lon) },
    ListingColumn("id", in: machine) { .text($0.id) },
    ListingColumn("bank", in: machine) { .text($0.bank) },
    ListingColumn("kind", in: machine) { .text($0.kind.rawValue) },
    ListingColumn("country", in: machine) { .text($0.country) },
    ListingColumn("country_name", in: machine) { .text($0.countryName) },
    ListingColumn("region", in: machine) { RowValue($0.region) },
    ListingColumn("name", in: machine) { RowValue($0.name) },
    ListingColumn("address", in: machine) { .text($0.address) },
  ]

  private static let details: [ListingColumn<BankRow>] = [
    ListingColumn("phone", in: machine) { RowValue($0.phone) },
    ListingColumn("email", in: machine) { RowValue($0.email) },
    ListingColumn("website", in: machine) { RowValue($0.website) },
    ListingColumn("no_cash", in: machine) { .flag($0.noCash) },
    ListingColumn("coin_station", in: machine) { .flag($0.coinStation) },
    ListingColumn("availability", in: machine) { RowValue($0.availability) },
    ListingColumn("info", in: machine) { RowValue($0.info) },
    ListingColumn("hours", in: machine) { row in
      .wire(row.hours) { WeekText.short($0, row.holidayHours, row.closedDays) }
    },
    ListingColumn("zone", in: machine) { .text($0.zone) },
    ListingColumn("code", in: machine) { .wire($0.code) { "\($0)" } },
  ]

  private static let holidays: [ListingColumn<BankEntry>] = [
    ListingColumn("holiday", in: machine) { RowValue($0.holiday) },
    ListingColumn("holiday_hours", in: machine) { .wire($0.location.holidayHours) { WeekText.short($0) } },
    ListingColumn("closed_days", in: .json) { .wire($0.location.closedDays) { $0.joined(separator: ",") } },
    ListingColumn("suspicious", in: .json) { .wire($0.location.suspicious) { "\($0)" } },
  ]

  /// A page of locations as a listing.
  package static func of(_ page: BankPage, isUnderHeadings: Bool) -> Listing<BankEntry> {
    var listing = listing(page.rows, columns, page.total, page.generation, page.sources)
    listing.unknownHours = page.unknownHours
    if isUnderHeadings { listing.headings = { [$0.location.countryName, $0.location.region ?? RegionListing.none] } }
    return listing
  }

  /// Neighbours as a listing.
  package static func of(_ reply: BankNear.Reply) -> Listing<BankEntry> {
    var listing = listing(reply.rows, neighbourColumns, UInt64(reply.rows.count), reply.generation, reply.sources)
    (listing.resolved, listing.unknownHours) = (reply.resolved, reply.unknownHours)
    return listing
  }

  /// A single location as a listing.
  package static func of(_ reply: BankGet.Reply) -> Listing<BankEntry> {
    listing([reply.entry], columns, 1, reply.generation, reply.sources)
  }

  private static func listing(
    _ rows: [BankEntry], _ columns: [ListingColumn<BankEntry>], _ total: UInt64, _ generation: String,
    _ sources: Provenance
  ) -> Listing<BankEntry> {
    Listing(
      columns: columns, rows: rows, total: total, generation: generation, sources: sources,
      position: { Position(lat: $0.location.lat, lon: $0.location.lon) })
  }
}

/// The columns of regions.
enum RegionListing {
  /// The heading of locations without a region.
  static let none = "(no region)"

  /// One region of a country.
  typealias Row = (country: BankRegions.Country, region: BankRegions.Region)

  /// `country country_name region count`.
  static let columns: [ListingColumn<Row>] = [
    ListingColumn("country", in: [.rows, .json]) { .text($0.country.country) },
    ListingColumn("country_name", in: [.rows, .json]) { .text($0.country.name) },
    ListingColumn("region", in: [.rows, .json]) { RowValue($0.region.name) },
    ListingColumn("region", in: .table) { .text($0.region.name ?? none) },
    ListingColumn("count") { .count($0.region.count) },
  ]

  /// The regions as a listing, with countries as headings.
  static func of(_ reply: BankRegions.Reply) -> Listing<Row> {
    let rows = reply.countries.flatMap { country in country.regions.map { (country, $0) } }
    return Listing(
      columns: columns, rows: rows, total: UInt64(rows.count), generation: reply.generation, sources: reply.sources,
      unknownHours: reply.unknownHours, members: [("locations", .count(reply.total))],
      headings: { ["\($0.country.name) (\($0.country.count))"] })
  }
}

/// A location with all its details, as a page for people.
package enum BankPageText {
  /// The page; unknown fields are left out, and fields of branches appear only for branches.
  package static func of(_ entry: BankEntry, at moment: String?) -> FactPage {
    let row = entry.location
    var page = FactPage(row.title)
    page.add("id", row.id, look: .id)
    page.add("bank", row.bank)
    page.add("kind", kind(row))
    page.add("address", row.address)
    page.add(
      row.region == nil ? "country" : "region",
      [row.region, row.countryName].compactMap(\.self).joined(separator: ", "))
    page.add(
      moment == nil ? "open now" : "open", entry.open.rawValue + (moment.map { " at \($0)" } ?? ""),
      look: BankListing.openLook(.text(entry.open.rawValue)))
    page.add("holiday", lines(entry.holiday))
    page.add("hours", WeekText.lines(of: row) { WeekText.text($0, $1, "–") } ?? ["unknown"])
    page.add("time zone", row.zone)
    page.add("availability", lines(row.availability))
    if row.kind == .branch {
      page.add("info", lines(row.info))
      page.add("cash", row.noCash ? "no" : "yes")
      page.add("coin station", row.coinStation ? "yes" : "no")
    }
    page.add("phone", lines(row.phone))
    page.add("e-mail", lines(row.email))
    page.add("web site", lines(row.website))
    let suspicious = row.suspicious == true ? " (suspicious: far outside \(row.countryName))" : ""
    page.add("position", "\(decimalText(row.lat)),\(decimalText(row.lon))\(suspicious)", look: .id)
    return page
  }

  private static func kind(_ row: BankRow) -> String {
    guard row.kind == .unknown, let code = row.code else { return row.kind.rawValue }
    return "unknown (\(code) in the source)"
  }

  private static func lines(_ text: String?) -> [String] {
    text?.split(separator: "\n").map(String.init) ?? []
  }
}

/// Opening hours as text.
package enum WeekText {
  /// The days of the week, the first being Monday.
  package static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// The day of the week, 0 for Monday, of a local time in seconds since 1970.
  package static func weekday(_ local: Int64) -> Int {
    // 1970-01-01 was a Thursday.
    Int((local.flooredDivision(by: 86_400).quotient + 3).flooredDivision(by: 7).remainder)
  }

  /// `Mo 09:00-13:00,14:00-17:00; Sa 10:00-14:00` in the grammar of a feed's `hours`; `closed` if there is none.
  ///
  /// A comma between the days leaves the night after a day that ends past midnight to that day.
  package static func short(
    _ hours: [OpeningHours], _ holidays: [HolidayHours]?, _ closedDays: [String]? = nil
  ) -> String {
    let days = Set(hours.map(\.day)).sorted().map { day in
      "\(name(of: day).prefix(2)) " + list(hours.filter { $0.day == day }.map { period($0.opens, $0.closes) })
    }
    let reachesOver = hours.contains { $0.closes > 1_440 }
    let week = days.isEmpty ? "closed" : days.joined(separator: reachesOver ? ", " : "; ")
    return week + (holidays.map { "; PH " + ($0.isEmpty ? "off" : short($0)) } ?? "")
      + (closedDays ?? []).map { "; \(date($0)) off" }.joined()
  }

  /// `2026-12-25` as `2026 Dec 25`, and `12-25` as `Dec 25`.
  private static func date(_ text: String) -> String {
    var parts = text.split(separator: "-").map(String.init)
    guard parts.count > 1, let month = Int(parts[parts.count - 2]), (1...12).contains(month) else { return text }
    parts[parts.count - 2] = months[month - 1]
    return parts.joined(separator: " ")
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `10:00-14:00` for every holiday; `closed` without a period.
  static func short(_ hours: [HolidayHours]) -> String {
    hours.isEmpty ? "closed" : list(hours.map { period($0.opens, $0.closes) })
  }

  private static func list(_ periods: [String]) -> String { periods.joined(separator: ",") }

  /// A period; one of 24 hours that starts after midnight counts the hours beyond 24.
  private static func period(_ opens: Int, _ closes: Int) -> String {
    opens > 0 && closes - opens == 1_440 ? "\(clock(opens))-\(clock(closes))" : text(opens, closes, "-")
  }

  /// One line per weekday, `Monday     09:00–17:00`, and one for holidays if their hours are known; `nil` if no hours
  /// are known.
  ///
  /// `stretch` formats a period given in minutes of the day.
  package static func lines(of row: BankRow, _ stretch: (_ opens: Int, _ closes: Int) -> String) -> [String]? {
    guard let hours = row.hours else { return nil }
    let week = days.indices.map { day in
      line(days[day], hours.filter { $0.day == day }.map { stretch($0.opens, $0.closes) })
    }
    return week + (row.holidayHours.map { [line("Holidays", $0.map { stretch($0.opens, $0.closes) })] } ?? [])
      + (row.closedDays ?? []).map { line(date($0), []) }
  }

  private static func line(_ day: String, _ stretches: [String]) -> String {
    let blanks = String(repeating: " ", count: max(1, 11 - day.count))
    return day + blanks + (stretches.isEmpty ? "closed" : stretches.joined(separator: ", "))
  }

  /// The name of a day; a day unknown to the protocol is shown by its number.
  private static func name(of day: Int) -> String { days.indices.contains(day) ? days[day] : "day \(day)" }

  /// After midnight the clock starts at 0:00 again; midnight itself may be 24:00.
  fileprivate static func text(_ opens: Int, _ closes: Int, _ dash: String) -> String {
    let end = closes > 1_440 ? closes - 1_440 : closes
    return "\(clock(opens))\(dash)\(clock(end))"
  }

  /// A time of day in minutes as `09:00`.
  package static func clock(_ minute: Int) -> String {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }
}
