internal import CitiesProtocol
internal import System

/// The filter options for bank locations.
struct BankFilterOptions: ArgumentGroup {
  private var bank: String?
  private var country: String?
  private var region: String?
  private var kinds: [BankRow.Kind] = []
  var openNow = false
  var moment = AskedMomentOption()

  static let title: String? = "Filter"

  mutating func declare(in table: inout ArgumentTable) throws {
    bank = try table.option(
      "--bank", "name", .filled("not be empty"), "Only this bank, or group of banks.",
      details: "swedbank-ee is a bank; swedbank is the group of all banks with this name before a hyphen.")
    country = try table.option(
      "--country", short: "-c", "country", .filled("not be empty", .countries),
      "Only this country, by its code, its number or a name; Congo means both.")
    region = try table.option(
      "--region", "name", .text(.bankRegions), "Only this region; '' means those without a region.")
    kinds = try table.options(
      "--kind", "kind", .kinds, "Only this kind: branch, atm, bna, unknown, or 'cash machine'.",
      details: """
        An atm is a cash machine, a bna one that also takes deposits; 'cash machine' means both. For several kinds, \
        separate them by commas, or repeat the option.
        """)
    openNow = table.flag(
      "--open-now", "Only locations known to be open now, or at the time of --at.",
      details: """
        If locations are left out because their hours are unknown, a note on standard error says how many. Hours are \
        unknown if the source gives none, or if any part of them cannot be read.
        """)
    try table.group(&moment)
  }

  /// The conditions, those of now with the current moment, so that all pages are of the same; `nil` if there are none.
  var conditions: BankConditions? {
    let now = openNow ? Timestamp(secondsSince1970: SystemClock.seconds()).text : nil
    let kinds = kinds.reduce(into: [BankRow.Kind]()) { if !$0.contains($1) { $0.append($1) } }
    let conditions = BankConditions(
      country: country, region: region, kind: kinds.count == 1 ? kinds[0] : nil,
      kinds: kinds.count > 1 ? kinds : nil, bank: bank, open: openNow ? true : nil, at: moment.at ?? now)
    return conditions == BankConditions() ? nil : conditions
  }

  /// Whether any condition but the moment was given.
  var narrows: Bool {
    openNow || !kinds.isEmpty || [bank, country, region].contains { $0 != nil }
  }
}

/// Kinds of locations, by the server's names and by common ones.
private let kindNames: [(name: String, kinds: [BankRow.Kind])] =
  BankRow.Kind.all.map { ($0.rawValue, [$0]) } + [
    ("branches", [.branch]), ("atms", [.atm]), ("bnas", [.bna]), ("cash machine", machines),
    ("cash machines", machines), ("cashpoint", machines), ("cash", machines),
  ]
private let machines: [BankRow.Kind] = [.atm, .bna]

extension OptionValue<[BankRow.Kind]> {
  /// Parses kinds separated by commas.
  static var kinds: Self {
    Self(completion: .choices { BankRow.Kind.all.map(\.rawValue) }) { option, word in
      try OutputOptions.names(word).flatMap { name in
        guard !name.isEmpty else { throw ValidationError("\(option) must not be empty") }
        let asked = name.lowercased().map { $0.is("-") || $0.is("_") ? " " : String($0) }.joined()
        guard let found = kindNames.first(where: { $0.name == asked }) else {
          throw ValidationError(
            "no such kind: '\(name)'; use branch, atm (a cash machine), bna (one that also takes deposits), unknown, or "
              + "'cash machine' for atm and bna")
        }
        return found.kinds
      }
    }
  }
}

/// The option for the time to which opening hours refer.
struct AskedMomentOption: ArgumentGroup {
  /// RFC 3339 text, a day, or a time of day.
  private(set) var at: String?

  mutating func declare(in table: inout ArgumentTable) throws {
    at = try table.option(
      "--at", "time", .moment, "Show what is open at this time (default: now).",
      details: """
        A time with its offset as in RFC 3339, such as 2026-03-01T12:00:00+02:00; or, in the local time of each \
        location, a time without it (2026-03-01T12:00), a day (2026-03-01, at noon) or a time of today (14:30).
        """)
  }
}
