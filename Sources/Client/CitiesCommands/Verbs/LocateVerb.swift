package import CitiesProtocol

/// `locate < TABLE`: the city at each position of a table.
package struct LocateVerb: HelperVerb {
  package static let command = CommandText(
    "locate", usage: "[<options>] < <table>",
    abstract: "Add the nearest city to each position in a table.",
    discussion: """
      Reads rows from standard input and adds three columns to the end of each: the city's id, its title and the \
      distance in whole metres. All other bytes and the order of the rows stay the same. --lat and --lon select the \
      columns with the degrees, by number from 1, or by name if the first row has names. Degrees are decimal numbers, or \
      angles with or without a compass letter, such as 52.5N and 13°24'E. A row without a position gets \
      empty columns; standard error lists the first five of these rows and says how many there are, and the exit \
      status is 4. If the first row has names, a row with more or fewer values, such as one with a decimal comma, \
      counts as one without a position; a shorter one is padded. Unless commas separate values, 52,5 is 52.5.

      With --with-country the row gets two more columns: the code of the country that the position is in, empty at \
      sea, and whether that is certain (true or false); see cities(7). The nearest city may be in another country.

      A column that the first row does not have is refused with exit status 2. If the table has a column with the name of \
      an added one, such as the output of 'citiesctl match', the added columns get a prefix (--prefix).

      Each request has thousands of rows, and memory does not grow with the table. One server works on one processor; \
      --jobs 0 uses all of them. If the server is restarted, the command sends the rows without an answer again, for \
      as long as --wait. If the server's data has changed by then, the command stops with exit status 75, and standard \
      error names the last row that was written; with --accept-changes it continues. A terminal shows the progress if \
      standard output goes elsewhere.

        # Add cities to a table whose first two columns are degrees
        citiesctl locate < positions.tsv
        # Select the columns by their names
        citiesctl locate --input csv --lat lat --lon lng < trips.csv
        # Use every processor
        citiesctl locate --jobs 0 < positions.tsv
        # Add the country that each position is in
        citiesctl locate --with-country < positions.tsv
        # Count how many positions are nearest to each city
        cut -f3,4 trips.tsv | citiesctl locate | cut -f4 | sort | uniq -c
      """)

  private var lat = TableColumn.number(1)
  private var lon = TableColumn.number(2)
  /// Which city, unless it is the nearest.
  package private(set) var rule: CityNear.Rule?
  /// Whether the countries of the positions are added.
  package private(set) var hasCountries = false
  package var table = TableOptions()
  package var connection = ConnectionOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    lat =
      try table.option(
        "--lat", "column", .column, "The column with the latitudes: a number or a name (default: 1).") ?? lat
    lon = try table.option("--lon", "column", .column, "The column with the longitudes (default: 2).") ?? lon
    rule = try table.option(
      "--rule", "rule", .rule, "Which city: nearest (default), or main (the one people would name).")
    hasCountries = table.flag("--with-country", "Add the country of the position, and whether it is certain.")
    try table.group(&self.table)
  }

  /// For the parser.
  package init() {}

  /// The columns with the latitudes and the longitudes.
  package var columns: [TableColumn] {
    [lat, lon]
  }

  /// Refuses a number beside a name: the first row either has names or not.
  package func validate() throws {
    try table.validate(connection, columns)
    switch (lat, lon) {
    case (.number, .number), (.name, .name): return
    default: throw ValidationError("--lat and --lon must be two numbers or two names")
    }
  }
}
