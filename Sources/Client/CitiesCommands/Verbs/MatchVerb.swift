package import ArgumentParser
package import CitiesProtocol

/// `match < TABLE`: the city that each name of a table means.
package struct MatchVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "match", usage: "[<options>] < <table>",
    abstract: "Add the city to each place name in a table.",
    discussion: """
      Reads rows from standard input and writes them with seven columns at their ends: the city's id, title, country, \
      region, latitude and longitude, and class, which is how sure it is that this city is meant. All other bytes stay as \
      they are, and so does the order. A name may be in any language, and the region or the country may follow it.

      The class is sure if 'citiesctl show' takes the name for that city: it is the title of one city, or only one city is \
      called so, or one that has ten times the inhabitants of the next. It is likely if several cities are called so: the \
      best of them by the order of 'citiesctl find'. It is guess if no city is called so in whole, and the name is the start \
      of one or has typing errors. --least leaves the less sure ones out. A row without a city gets empty columns; standard \
      error says which rows these are, and the exit status is 4.

      --name, --region-column and --country-column are columns: numbers, counted from 1, or names, which the first row then \
      has. An empty region or country of a row does not narrow it, an unknown one leaves the row without a city.

      Thousands of rows are asked for at once, as by 'citiesctl locate', which says what happens if the server is restarted \
      or its data changes.

        # Add cities to a table whose first column has names
        citiesctl match < places.tsv
        # Names in one column, countries in another
        citiesctl match --name 2 --country-column 3 < customers.tsv
        # Find the column by its name
        citiesctl match --input csv --name town < customers.csv
        # List the names that need a look
        citiesctl match < places.tsv | awk -F '\\t' '$NF != "sure"'
      """)

  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("The column with the names: a number or a name (default: 1).", valueName: "column"))
  private var nameWord: String?

  @Option(
    name: .customLong("region-column"),
    help: ArgumentHelp("The column with the regions, by code or name.", valueName: "column"))
  private var regionColumnWord: String?

  @Option(
    name: .customLong("country-column"),
    help: ArgumentHelp("The column with the countries, by code or name.", valueName: "column"))
  private var countryColumnWord: String?

  @Option(
    name: .customLong("region"), help: ArgumentHelp("Only cities of this region, by code or name.", valueName: "name"))
  package var region: String?

  @Option(
    name: [.customShort("c", allowingJoined: true), .customLong("country")],
    help: ArgumentHelp("Only cities of this country, by code or name.", valueName: "name"))
  package var country: String?

  @Option(
    name: .customLong("least"),
    help: ArgumentHelp("The least sure class: guess (the default), likely or sure.", valueName: "class"),
    completion: Choice.completion(of: MatchClass.self))
  private var leastWord: String?

  @Flag(help: "Do not correct typing errors.")
  package var noTypos = false

  @OptionGroup package var table: TableOptions
  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// For the parser.
  package init() {}

  /// The columns with the names, and with the regions and the countries if there are any, in this order.
  package var columns: (name: TableColumn, region: TableColumn?, country: TableColumn?) {
    get throws {
      (
        try TableColumn.parse("--name", nameWord ?? "1"),
        try regionColumnWord.map { try TableColumn.parse("--region-column", $0) },
        try countryColumnWord.map { try TableColumn.parse("--country-column", $0) }
      )
    }
  }

  /// The least sure class that is taken.
  package var least: MatchClass {
    get throws { try Choice.read("--least", leastWord) ?? .guess }
  }

  /// Refuses unknown names, numbers of columns beside names, and areas that are given twice.
  package func validate() throws {
    _ = try least
    let columns = try columns
    let all = [columns.name, columns.region, columns.country].compactMap { $0 }
    let names = all.count { if case .name = $0 { true } else { false } }
    guard names == 0 || names == all.count else {
      throw ValidationError("--name, --region-column and --country-column want numbers or names, not both")
    }
    if region != nil, columns.region != nil { throw ValidationError("--region and --region-column exclude each other") }
    if country != nil, columns.country != nil {
      throw ValidationError("--country and --country-column exclude each other")
    }
  }
}

/// The classes of matches, in the words of the table.
package enum MatchClass: String, CaseIterable, Sendable {
  /// Nothing is called so in whole.
  case guess
  /// Several cities are called so.
  case likely
  /// One city is meant.
  case sure

  /// The class of a match; `nil` if there is none.
  package init?(_ certainty: CityMatch.Certainty) {
    switch certainty {
    case .none: return nil
    case .guess: self = .guess
    case .likely: self = .likely
    case .sure: self = .sure
    }
  }

  /// The number on the wire.
  package var certainty: CityMatch.Certainty {
    switch self {
    case .guess: .guess
    case .likely: .likely
    case .sure: .sure
    }
  }
}
