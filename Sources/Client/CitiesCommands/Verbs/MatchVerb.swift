package import CitiesProtocol

/// `match < TABLE`: the city that each name of a table means.
package struct MatchVerb: HelperVerb {
  package static let command = CommandText(
    "match", usage: "[<options>] < <table>",
    abstract: "Add the city to each place name in a table.",
    discussion: """
      Reads rows from standard input and adds seven columns to the end of each: the city's id, title, country, region, \
      latitude and longitude, and class, which says how sure the match is. All other bytes and the order of the rows \
      stay the same. A name may be in any language, and the county, the region or the country may follow it.

      The class is sure if 'citiesctl show' shows that city for the name: the name is the title of one city, or only \
      one city has the name, or that city has at least ten times the population of the next. It is likely if several \
      cities have the name: the city is the first of them in the order of 'citiesctl find'. A name made of digits is \
      never sure: it may be an id. It is guess if no city has the whole name: the name is the start of another one, or \
      has typing errors. --least leaves out cities of a lower class. A row without a city gets empty columns; standard \
      error lists the first five of these rows and says how many there are, and the exit status is 4.

      --name, --region-column and --country-column select columns, by number from 1, or by name if the first row has \
      names. Then a row with more values than the first gets no city; neither does a shorter one, which is padded. If \
      the region or country of a row is empty, all cities count; if it is unknown, the row gets no city, and a line on \
      standard error counts the rows with each such region and country.

      If the server is restarted, or its data changes, the command does the same as 'citiesctl locate'.

        # Add cities to a table whose first column has names
        citiesctl match < places.tsv
        # Read names from one column, countries from another
        citiesctl match --name 2 --country-column 3 < customers.tsv
        # Select the column by its name
        citiesctl match --input csv --name town < customers.csv
        # List the names to check
        citiesctl match < places.tsv | awk -F '\\t' '$NF != "sure"'
      """)

  private var name = TableColumn.number(1)
  package private(set) var regionColumn: TableColumn?
  package private(set) var countryColumn: TableColumn?
  package var region: String?
  package var country: String?
  /// The least sure class that is taken.
  package private(set) var least = CityMatch.Certainty.guess
  package var noTypos = false
  package var table = TableOptions()
  package var connection = ConnectionOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(&name, "--name", "column", .column, "The column with the names: a number or a name (default: 1).")
    try table.option(
      &regionColumn, "--region-column", "column", .column, "The column with the regions or counties.")
    try table.option(
      &countryColumn, "--country-column", "column", .column, "The column with the countries, by code or name.")
    try table.option(
      &region, "--region", "name", .text(.regions), "Only cities in this region or county (code or name).")
    try table.option(
      &country, "--country", short: "-c", "name", .text(.countries), "Only cities in this country (code or name).")
    try table.option(
      &least, "--least", "class", .matchClass, "The lowest class to accept: guess (the default), likely or sure.")
    table.flag(&noTypos, "--no-typos", "Correct no typing errors, and make no other guesses.")
    try table.group(&self.table)
  }

  /// For the parser.
  package init() {}

  /// The columns with the names, and with the regions and the countries if there are any, in this order.
  package var columns: [TableColumn] { [name, regionColumn, countryColumn].compactMap(\.self) }

  /// Refuses numbers of columns beside names, and areas that are given twice.
  package func validate() throws {
    try table.validate(connection)
    guard Set(columns.map(\.isNumber)).count == 1 else {
      throw ValidationError("--name, --region-column and --country-column must all be numbers, or all be names")
    }
    if region != nil, regionColumn != nil {
      throw ValidationError("--region cannot be combined with --region-column")
    }
    if country != nil, countryColumn != nil {
      throw ValidationError("--country cannot be combined with --country-column")
    }
  }
}
