package import ArgumentParser
package import CitiesProtocol

/// `map [PLACE]`: where a city lies.
package struct MapVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "map", usage: "[<options>] [<place>]",
    abstract: "Draw a map of a city and what lies around it.",
    discussion: """
      A place is a city's id or title, LAT,LON in degrees, or a geo: URI; without one it is the position that \
      'citiesctl here' keeps. The map is drawn in the dots of braille patterns, or in ASCII where the locale does not \
      say UTF-8, with the largest cities labelled as far as there is room. Closer than coasts and borders are known, \
      a plain grid takes their place.

        citiesctl map 'Suva, FJ'
        citiesctl map --zoom 2000km 'Ushuaia, AR'
        citiesctl map --output svg 'Tallinn, EE' > tallinn.svg
        xdg-open "$(citiesctl map --output geo 'Tallinn, EE')"
      """)

  @Argument(help: "An id, a title, LAT,LON or a geo: URI.", completion: .custom(TitleCompletion.complete))
  private var place: Word?

  @Option(
    name: .customLong("near"),
    help: ArgumentHelp("Of several cities, the one nearest to this place.", valueName: "place"),
    completion: .custom(TitleCompletion.complete))
  private var nearWord: String?

  @OptionGroup(title: "Map") package var map: MapOptions
  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// For the parser.
  package init() {}

  /// The place; absent where the kept position is meant.
  package var target: Place? {
    get throws { try place.map(PlaceArgument.parse) }
  }

  /// What chooses among several cities of a title.
  package var near: Place? {
    get throws { try nearWord.map { try PlaceArgument.parse(Word(argument: $0)) } }
  }

  /// Refuses what is no place, and a choice where there is none.
  package func validate() throws {
    let target = try target
    if try near != nil, target?.title == nil {
      throw ValidationError("--near chooses among the cities of a title")
    }
  }
}
