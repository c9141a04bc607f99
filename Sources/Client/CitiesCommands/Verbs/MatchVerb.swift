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

      The class is sure if 'citiesctl show' shows that city for the name: no other city with that name comes near. It \
      is likely if another city or an area may be meant: the city is the first with that name in the order of \
      'citiesctl find'. A name made of digits is never sure: it may be an id. It is guess if no city has the whole \
      name: the name is the start of another one, or has typing errors; or if the list has it, translated, for a \
      smaller city of that title only. --least leaves out cities of a lower class. \
      The name of a country or region means no city (Egypt), and neither does a missing value: nan, NaN, NaT, None, \
      NULL, null, N/A, n/a, #N/A, <NA>, \\N or -. A row without a city gets empty columns; standard error lists the \
      first five of these rows and says how many there are, and the exit status is 4.

      --why adds second_id and second, the city that may be meant instead, and why: name (the city has this name, and \
      no other comes near), namesakes (another one does), longer name (a longer name weighs as much), unused name, \
      translated name (the list has it for a smaller city of that title), area (a country or region is called so), \
      number, missing (a missing value), unknown area, nothing, or for a guess how the name was read, such as 'typing \
      errors'.

      --name, --region-column and --country-column select columns, by number from 1, or by name if the first row has \
      names. Then a row with more values than the first gets no city; neither does a shorter one, which is padded. A \
      column that the first row does not have is refused with exit status 2. If \
      the region or country of a row is empty or a missing value, all cities count; if it is unknown, the row gets no \
      city, and a line on standard error counts the rows with each such region and country.

      A table of a spreadsheet may have semicolons (--separator) or another encoding (--encoding); an added column whose \
      name the table has already gets a prefix (--prefix). The output of 'citiesctl locate' is a table for this command, \
      and the other way round.

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
  package private(set) var why = false
  package var table = TableOptions()
  package var connection = ConnectionOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    name =
      try table.option("--name", "column", .column, "The column with names, by number or name (default: 1).") ?? name
    regionColumn = try table.option("--region-column", "column", .column, "The column with the regions or counties.")
    countryColumn = try table.option(
      "--country-column", "column", .column, "The column with the countries (code, number or name).")
    region = try table.option(
      "--region", "name", .text(.regions), "Only cities in this region or county (code or name).")
    country = try table.option(
      "--country", short: "-c", "name", .text(.countries), "Only cities in this country (code or name).")
    least =
      try table.option(
        "--least", "class", .matchClass, "The lowest class to accept: guess (the default), likely or sure.") ?? least
    noTypos = table.flag("--no-typos", "Correct no typing errors, and make no other guesses.")
    why = table.flag("--why", "Add three columns: the id and title of the city that may be meant instead, and why.")
    try table.group(&self.table)
  }

  /// For the parser.
  package init() {}

  /// The columns with the names, and with the regions and the countries if there are any, in this order.
  package var columns: [TableColumn] { [name, regionColumn, countryColumn].compactMap(\.self) }

  /// Refuses numbers of columns beside names, and areas that are given twice.
  package func validate() throws {
    try table.validate(connection, columns)
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
