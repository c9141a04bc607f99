package import CitiesProtocol

/// `distance PLACE PLACE`: the distance between two places.
package struct DistanceVerb: RowVerb, HelperVerb {
  package static let command = CommandText(
    "distance", usage: "[<options>] [<place>] <place>",
    abstract: "Measure the distance between two places.",
    discussion: """
      Each argument is one place: the id or name of a city, as in 'citiesctl show', LAT,LON in degrees, or a geo: URI. \
      With one place, the distance is from the position saved by 'citiesctl here'. The columns are from, to, distance \
      (whole metres along a great circle) and bearing (the direction at the start, in degrees clockwise from north).

        # Measure the distance between two cities
        citiesctl distance Tallinn Helsinki
        # Quote a name of several words
        citiesctl distance 'new york' london
        # Print the number of metres
        citiesctl distance 59.437,24.7536 'Riga, LV' | cut -f3
      """)

  /// A distance in metres, and the direction at its start, in degrees and in words.
  package typealias Row = (from: String, to: String, metres: UInt64, bearing: Double, direction: String)

  package static let columns: [ListingColumn<Row>] = [
    ListingColumn("from", weight: .name) { .text($0.from) }, ListingColumn("to", weight: .name) { .text($0.to) },
    ListingColumn("distance", form: .distance) { .count($0.metres) },
    ListingColumn("direction", in: .table) { .text($0.direction) },
    ListingColumn("bearing", in: [.rows, .json]) {
      .number(($0.bearing * 10).rounded().truncatingRemainder(dividingBy: 3_600) / 10)
    },
  ]

  private var words: [String] = []
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments(
      "place", "A city's id or name, LAT,LON or a geo: URI; quote a name of several words.", completion: .place)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// Rejects invalid places, and any other number of them.
  package func validate() throws {
    guard (1...2).contains(words.count) else {
      throw ValidationError("a distance has two places, not \(words.count); quote a name of several words")
    }
    for word in words { _ = try PlaceArgument.parse(word) }
  }

  /// Both places; the first may be the saved position.
  package func places(in context: Context) throws -> [Place] {
    let places = try words.map { try PlaceArgument.parse($0) }
    return places.count > 1 ? places : [Place(at: try HereFile(environment: context.environment).required())] + places
  }
}
