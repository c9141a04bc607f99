package import CitiesProtocol

/// `country NAME`: facts about a country.
package struct CountryVerb: RowVerb, HelperVerb {
  package static let command = CommandText(
    "country", usage: "[<options>] <country>…",
    abstract: "Show a country: capital, largest cities, time zones, currency, languages, neighbours.",
    discussion: """
      A country is its code, its number in ISO 3166-1 or one of its names. A table is a page of text, with a map \
      beside it on a terminal of 80 columns or more. The columns of the other formats are country, name, capital, \
      capital_id, currency, zones and cities (the number of its cities); JSON also has languages, calling_codes and \
      neighbours. The zones are those of its 1,000 largest \
      cities, the most populous first.

        # Show Japan
        citiesctl country japan
        # Print the currency of a country
        citiesctl country --columns currency ch
        # List its largest cities
        citiesctl search --country japan --sort population ''
      """)

  /// The facts.
  package typealias Row = (
    code: String, name: String, capital: CityRow?, currency: String?, zones: [String], cities: UInt64,
    more: (languages: [String], callingCodes: String, neighbours: [String])?
  )

  package static let columns: [ListingColumn<Row>] = [
    ListingColumn("country") { .text($0.code) }, ListingColumn("name", weight: .name) { .text($0.name) },
    ListingColumn("capital") { RowValue($0.capital?.name) }, ListingColumn("capital_id") { RowValue($0.capital?.id) },
    ListingColumn("currency") { RowValue($0.currency) },
    ListingColumn("zones") { .wire($0.zones, $0.zones.joined(separator: ", ")) },
    ListingColumn("cities") { .count($0.cities) },
    ListingColumn("languages", in: .json) { row in .wire(row.more?.languages) { $0.joined(separator: ", ") } },
    ListingColumn("calling_codes", in: .json) { RowValue($0.more?.callingCodes) },
    ListingColumn("neighbours", in: .json) { row in .wire(row.more?.neighbours) { $0.joined(separator: ", ") } },
  ]

  private var words: [String] = []
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("country", "A code or a name.", completion: .countries)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// The words joined by spaces, so that quotes are not needed.
  package var country: String { words.joined(separator: " ") }

  /// Rejects an empty name.
  package func validate() throws {
    if country.isEmpty { throw ValidationError("missing argument: the code or name of a country") }
  }
}
