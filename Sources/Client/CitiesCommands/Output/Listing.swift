internal import CitiesProtocol

/// Rows of one kind with what is known of all of them; a command supplies it, ``RowRenderer`` writes it in any format.
struct Listing<Row> {
  /// Every column, in the frozen order.
  var columns: [Column<Row>]
  /// The rows.
  var rows: [Row]
  /// How many there are in all; the rows may be a part of them.
  var total: UInt64
  /// What the rows were read from, where they have a generation.
  var generation: String?
  /// Where the data comes from and how old it is, where replies tell.
  var sources: Provenance?
  /// What JSON says of all rows together, besides.
  var members: [(name: String, value: Cell)] = []
  /// Under which headings a row stands in a table, the outermost first.
  var headings: ((Row) -> [String])?
  /// Lines below a table.
  var notes: [String] = []
  /// Where a row lies, for rows that lie somewhere.
  var position: ((Row) -> Position)?

  /// The columns named, in that order; if `names` is empty, those that stand at that place.
  ///
  /// - Throws: a usage failure that lists the names there are.
  func choosing(_ names: [String], for places: ColumnPlaces) throws(CommandFailure) -> [Column<Row>] {
    guard !names.isEmpty else { return columns.filter { !$0.places.isDisjoint(with: places) } }
    var chosen: [Column<Row>] = []
    for name in names {
      guard let column = columns.first(where: { $0.name == name }) else {
        throw .usage("no column is named '\(name)'; there are \(columns.map(\.name).joined(separator: ", "))")
      }
      chosen.append(column)
    }
    return chosen
  }
}

/// The rows about cities.
enum CityListing {
  /// `title lat lon id country name population`.
  static let columns: [Column<CityRow>] = [
    Column("title", in: [.table, .rows]) { .text($0.title) },
    Column("lat") { .number($0.lat) },
    Column("lon") { .number($0.lon) },
    Column("id") { .count($0.id) },
    Column("country") { .text($0.country) },
    Column("name") { .text($0.name) },
    Column("population") { Cell($0.population) },
  ]

  /// The columns of cities, then `distance`.
  static let neighbourColumns: [Column<CityNear.Neighbour>] =
    columns.map { $0.of(\.city) } + [Column("distance") { .count($0.distance) }]

  /// Cities as a listing.
  static func of(_ rows: [CityRow], total: UInt64, generation: String) -> Listing<CityRow> {
    var listing = Listing(columns: columns, rows: rows, total: total, generation: generation)
    listing.position = { Position(lat: $0.lat, lon: $0.lon) }
    return listing
  }

  /// Neighbours as a listing.
  static func of(_ rows: [CityNear.Neighbour], generation: String) -> Listing<CityNear.Neighbour> {
    var listing = Listing(
      columns: neighbourColumns, rows: rows, total: UInt64(rows.count), generation: generation)
    listing.position = { Position(lat: $0.city.lat, lon: $0.city.lon) }
    return listing
  }
}
