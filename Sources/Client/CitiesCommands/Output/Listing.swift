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
  /// When the data was taken from its source, where that is known.
  var asOf: String?
  /// Where a row lies, for rows that lie somewhere.
  var position: ((Row) -> Position)?

  /// The columns named, in that order; all if `names` is empty.
  ///
  /// - Throws: a usage failure that lists the names there are.
  func choosing(_ names: [String]) throws(CommandFailure) -> [Column<Row>] {
    guard !names.isEmpty else { return columns }
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
    Column("title", isField: false) { .text($0.title) },
    Column("lat") { .number($0.lat) },
    Column("lon") { .number($0.lon) },
    Column("id") { .count($0.id) },
    Column("country") { .text($0.country) },
    Column("name") { .text($0.name) },
    Column("population") { Cell($0.population) },
  ]

  /// The columns of cities, then `distance`.
  static let neighbourColumns: [Column<CityNear.Neighbour>] =
    columns.map { column in Column(column.name, isField: column.isField) { column.value($0.city) } } + [
      Column("distance") { .count($0.distance) }
    ]

  /// Cities as a listing.
  static func of(_ rows: [CityRow], total: UInt64, generation: String) -> Listing<CityRow> {
    Listing(columns: columns, rows: rows, total: total, generation: generation) { Position(lat: $0.lat, lon: $0.lon) }
  }

  /// Neighbours as a listing.
  static func of(_ rows: [CityNear.Neighbour], generation: String) -> Listing<CityNear.Neighbour> {
    Listing(columns: neighbourColumns, rows: rows, total: UInt64(rows.count), generation: generation) {
      Position(lat: $0.city.lat, lon: $0.city.lon)
    }
  }
}
