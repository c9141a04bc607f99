internal import CBOR
package import CitiesProtocol

/// Rows of one kind with what is known of all of them; a command supplies it, ``RowRenderer`` writes it in any format.
package struct Listing<Row> {
  /// Every column: those of tsv and csv in the frozen order, those of a table as people read them.
  ///
  /// A column that is in both at different places is here twice, once for each.
  var columns: [ListingColumn<Row>]
  package var rows: [Row]
  /// How many there are in all; the rows may be a part of them.
  var total: UInt64
  /// The generation that the rows were read from, if they have one.
  var generation: String?
  /// The origin and age of the data, if the reply has them.
  package var sources: Provenance?
  /// Whether JSON has the origin too; else it is only noted on standard error.
  var showsSources = true
  /// The city to which a name was resolved, for a note.
  package var resolved: ResolvedCity?
  /// Locations that are left out because their hours are unknown, for a note.
  package var unknownHours: UInt64?
  /// Members about all rows together, for JSON.
  var members: [(name: String, value: RowValue)] = []
  /// Under which headings a row is in a table, the outermost first.
  var headings: ((Row) -> [String])?
  var notes: [String] = []
  /// The typed words, if rows are found by the start of a name.
  var query = ""
  /// Whether a table has the same columns for any rows.
  var keepsColumns = false
  /// Where a row lies, for rows that may lie somewhere, but not where a city does.
  var position: ((Row) -> Position?)?
  /// The city of a row, for rows whose `title` may be that of a city.
  var city: (@Sendable (Row) -> CityRow?)?

  /// The origin and age of the data, if JSON has them.
  var shownSources: Provenance? { showsSources ? sources : nil }

  /// Where a row lies.
  func position(of row: Row) -> Position? {
    position?(row) ?? city?(row).map { Position(lat: $0.lat, lon: $0.lon) }
  }

  /// The columns named, in that order; if `names` is empty, those that are at that place.
  ///
  /// - Throws: a usage failure that lists the names there are.
  func choosing(_ names: [String], for places: ColumnPlaces) throws(CommandFailure) -> [ListingColumn<Row>] {
    guard !names.isEmpty else { return columns.filter { !$0.places.isDisjoint(with: places) } }
    var chosen: [ListingColumn<Row>] = []
    // An object has each key once.
    for name in names where places != .json || !chosen.contains(where: { $0.name == name }) {
      let named = columns.filter { $0.name == name }
      guard let column = named.first(where: { !$0.places.isDisjoint(with: places) }) ?? named.first else {
        let hint = NearestName.hint(name, among: self.names)
        throw .usage(
          "no such column: '\(name)'" + (hint.isEmpty ? "; choose from \(self.names.joined(separator: ", "))" : hint))
      }
      chosen.append(column)
    }
    return chosen
  }

  private var names: [String] { columnNames(columns) }
}

/// The names of columns, each once, those of tsv first.
func columnNames<Row>(_ columns: [ListingColumn<Row>]) -> [String] {
  var seen: Set<TextKey> = []
  let all = columns.filter { $0.places.contains(.rows) } + columns
  return all.map(\.name).filter { seen.insert($0) }
}

/// The rows about cities.
package enum CityListing {
  /// `title lat lon id country name population`; a table has what the title does not say, in one order for all
  /// commands, and JSON `region region_code zone alternates` too where the reply has them.
  static let columns: [ListingColumn<CityRow>] = [title, region, population] + rest + parts

  /// The columns of cities, then `distance`, which comes after the population in a table.
  static let neighbourColumns: [ListingColumn<CityNear.Neighbour>] =
    [
      title.of(\.city), region.of(\.city), population.of(\.city),
      ListingColumn("distance", in: .table, form: .distance, weight: .answer) { .count($0.distance) },
    ] + rest.map { $0.of(\.city) } + [ListingColumn("distance", in: [.rows, .json]) { .count($0.distance) }]
    + parts.map { $0.of(\.city) }

  private static let title = ListingColumn<CityRow>("title", weight: .name) { .text($0.title) }
  private static let region = ListingColumn<CityRow>("region", in: .table, weight: .region) { RowValue($0.region) }
  private static let population = ListingColumn<CityRow>(
    "population", in: .table, form: .grouped, weight: .population
  ) { RowValue($0.population) }
  private static let rest: [ListingColumn<CityRow>] = [
    ListingColumn("lat", weight: .position) { .number($0.lat) },
    ListingColumn("lon", weight: .position) { .number($0.lon) },
    ListingColumn("id", weight: .id) { .count($0.id) },
    ListingColumn("country", in: [.rows, .json]) { .text($0.country) },
    ListingColumn("name", in: [.rows, .json]) { .text($0.name) },
    ListingColumn("population", in: [.rows, .json]) { RowValue($0.population) },
  ]
  /// What decides between cities, for a table of those that a name may mean; the id is what to type.
  static let candidateColumns: [ListingColumn<CityRow>] = [
    title, region, population, ListingColumn("id", in: .table) { .count($0.id) },
    // Only the name that a search has found, if it is not that in the title.
    ListingColumn("matched", in: .table, weight: .answer) { RowValue($0.alternates?.first) },
    ListingColumn("lat", in: .table, weight: .position) { .number($0.lat) },
    ListingColumn("lon", in: .table, weight: .position) { .number($0.lon) },
  ]
  /// What rows have only where it was asked for.
  private static let parts: [ListingColumn<CityRow>] = [
    ListingColumn("region", in: .json) { RowValue($0.region) },
    ListingColumn("region_code", in: .json) { RowValue($0.regionCode) },
    ListingColumn("zone", in: .json) { RowValue($0.zone) },
    ListingColumn("alternates", in: .json) { .wire($0.alternates) { $0.joined(separator: ", ") } },
  ]

  /// The parts of rows that a listing with `columns` needs; if none are named, a table shows the region.
  static func parts(_ columns: [String], isTable: Bool) -> [CityPart]? {
    let names = columns.isEmpty && isTable ? ["region"] : columns
    guard !names.isEmpty else { return nil }
    let parts = CityPart.allCases.filter { part in
      names.contains(part.rawValue) || part == .region && names.contains("region_code")
    }
    return parts.isEmpty ? nil : parts
  }

  /// The columns of cities, then `matched by region`, and in JSON `region_code zone`.
  static let foundColumns: [ListingColumn<CityFind.Row>] =
    [
      title.of(\.city), ListingColumn("region", in: .table, weight: .region) { RowValue($0.region) },
      population.of(\.city), ListingColumn("matched", in: .table, weight: .answer) { RowValue($0.matched) },
    ] + rest.map { $0.of(\.city) } + [
      ListingColumn("matched", in: [.rows, .json]) { RowValue($0.matched) },
      ListingColumn("by", in: [.rows, .json]) { .text($0.by.rawValue) },
      ListingColumn("region", in: [.rows, .json]) { RowValue($0.region) },
      ListingColumn("region_code", in: .json) { RowValue($0.regionCode) },
      ListingColumn("zone", in: .json) { RowValue($0.zone) },
    ]

  /// What orders cities that were found.
  private static let reasons: [ListingColumn<CityFind.Row>] = [
    ListingColumn("score", weight: .answer) { .wire($0.score) { "\($0)" } },
    ListingColumn("why", weight: .name) { row in
      .wire(row.parts) { parts in
        parts.map { "\($0.part) \($0.points)" }.joined(separator: ", ")
      }
    },
  ]

  /// Cities that were found as a listing.
  static func of(
    _ reply: CityFind.Reply, for query: String = "", isExplained: Bool = false
  ) -> Listing<CityFind.Row> {
    Listing(
      columns: isExplained ? foundColumns + reasons : foundColumns, rows: reply.rows, total: UInt64(reply.rows.count),
      generation: reply.generation, query: query, keepsColumns: true, city: { $0.city })
  }

  /// Cities as a listing; `query` is the start of their names that was typed.
  package static func of(
    _ rows: [CityRow], total: UInt64, generation: String, for query: String = ""
  ) -> Listing<CityRow> {
    Listing(
      columns: columns, rows: rows, total: total, generation: generation, showsSources: false, query: query,
      city: { $0 })
  }

  static func of(_ rows: [CityNear.Neighbour], generation: String) -> Listing<CityNear.Neighbour> {
    Listing(
      columns: neighbourColumns, rows: rows, total: UInt64(rows.count), generation: generation, showsSources: false,
      city: { $0.city })
  }
}

/// One value of a row.
enum RowValue: Equatable {
  case text(String)
  case count(UInt64)
  /// A number with a fraction, such as degrees.
  case number(Double)
  case flag(Bool)
  /// An exact amount or rate; a text in JSON, because most readers of JSON take a number with a fraction for a float.
  case amount(CBORDecimal)
  /// A value with parts: a short form where there is a line for it, and the whole of it in JSON.
  case parts(String, json: CBORValue)
  /// The source does not know; empty in text, left out in JSON.
  case absent

  init(_ text: String?) { self = text.map(RowValue.text) ?? .absent }

  /// A whole number, or absent.
  init(_ count: UInt64?) { self = count.map(RowValue.count) ?? .absent }

  init(_ amount: CBORDecimal?) { self = amount.map(RowValue.amount) ?? .absent }

  /// A part of a reply as it is on the wire, with `text` as its short form.
  static func wire(_ part: some Encodable, _ text: String) -> RowValue {
    // Anything that was read from the wire can be written again.
    (try? CBORValue(decoding: CBOREncoder().encode(part))).map { .parts(text, json: $0) } ?? .text(text)
  }

  /// The same, or absent.
  static func wire<Part: Encodable>(_ part: Part?, _ text: (Part) -> String) -> RowValue {
    part.map { .wire($0, text($0)) } ?? .absent
  }

  /// As text, without any escapes.
  var plain: String {
    switch self {
    case .text(let text): text
    case .count(let count): "\(count)"
    case .number(let number): decimalText(number)
    case .flag(let flag): flag ? "true" : "false"
    case .amount(let amount): "\(amount)"
    case .parts(let text, _): text
    case .absent: ""
    }
  }

  /// Whether it is at the right of its column.
  var isNumber: Bool {
    switch self {
    case .count, .number, .amount: true
    case .text, .flag, .parts, .absent: false
    }
  }

  /// Whether a spreadsheet would take it for a formula: a text that starts with `=`, `+`, `-` or `@`; never a number.
  var startsLikeFormula: Bool {
    !isNumber && plain.unicodeScalars.first.map { "=+-@".unicodeScalars.contains($0) } ?? false
  }

  /// Whether columns of such are aligned at the decimal point.
  var isAmount: Bool {
    if case .amount = self { true } else { false }
  }
}

/// Where a column stands when columns are not chosen by name.
struct ColumnPlaces: OptionSet {
  let rawValue: UInt8

  static let table = ColumnPlaces(rawValue: 1)
  /// In tsv and csv, whose columns are frozen: new ones come last.
  static let rows = ColumnPlaces(rawValue: 2)
  /// In the three JSON formats.
  static let json = ColumnPlaces(rawValue: 4)
  static let all: ColumnPlaces = [.table, .rows, .json]
}

/// When a narrow table leaves a column out: those of the smallest weight first, all together.
enum ColumnWeight: Comparable {
  case position
  case id
  case population
  case region
  /// One by one, from the right.
  case usual
  /// What the command was asked for.
  case answer
  /// Never; other texts are shortened first.
  case name

  fileprivate var look: Look? {
    switch self {
    case .position, .id: .id
    case .name: .title
    case .population, .region, .usual, .answer: nil
    }
  }
}

/// One column of a listing: its name, which is the field's name on the wire, and where its value comes from.
package struct ListingColumn<Row>: Sendable {
  let name: String
  let places: ColumnPlaces
  /// How a table writes its values.
  let form: ValueForm
  /// When a narrow table leaves it out.
  let weight: ColumnWeight
  /// How a table shows a value on a terminal.
  let look: @Sendable (RowValue) -> Look?
  /// The value of a row.
  let value: @Sendable (Row) -> RowValue

  init(
    _ name: String, in places: ColumnPlaces = .all, form: ValueForm = .plain, weight: ColumnWeight = .usual,
    look: (@Sendable (RowValue) -> Look?)? = nil, _ value: @escaping @Sendable (Row) -> RowValue
  ) {
    (self.name, self.places, self.form, self.weight, self.value) = (name, places, form, weight, value)
    self.look = look ?? { _ in weight.look }
  }

  /// The column for rows that such a row is a part of, or may be.
  func of<Whole>(_ part: @escaping @Sendable (Whole) -> Row?) -> ListingColumn<Whole> {
    ListingColumn<Whole>(name, in: places, form: form, weight: weight, look: look) { [value] in
      part($0).map(value) ?? .absent
    }
  }
}
