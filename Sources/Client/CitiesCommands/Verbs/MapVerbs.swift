package import ArgumentParser
package import CitiesProtocol

/// `map [PLACE]`: a city and its surroundings.
package struct MapVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "map", usage: "[<options>] [<place>…]",
    abstract: "Draw a map of a city and its surroundings, or of a country.",
    discussion: """
      A place is the id or name of a city, as in 'citiesctl show', LAT,LON in degrees, or a geo: URI. The default is the \
      position saved by 'citiesctl here'. The name of a country, as in 'citiesctl map iceland', draws the country, and so \
      does --country with its code or name. Of its 1,000 largest cities, the map shows those whose names fit. The map \
      leaves out distant islands with few inhabitants. The map is drawn with the dots of braille characters, or in ASCII \
      if the locale is not UTF-8; the largest cities are labelled where there is room. Below 1 km per dot, coasts and \
      borders are too coarse: the map has a plain grid instead.

        # Draw Suva and its surroundings
        citiesctl map 'Suva, FJ'
        # Draw the 2000 km around Ushuaia
        citiesctl map --zoom 2000km 'Ushuaia, AR'
        # Draw a map as a picture
        citiesctl map --output svg 'Tallinn, EE' > tallinn.svg
        # Draw a country
        citiesctl map --country is
        # Open a place in the desktop's map program
        xdg-open "$(citiesctl map --output geo 'Tallinn, EE')"
      """)

  @Argument(
    help: ArgumentHelp("The id or name of a city, LAT,LON or a geo: URI.", valueName: "place"),
    completion: .custom(PlaceCompletion.complete))
  private var words: [String] = []

  @Option(
    name: .customLong("near"),
    help: ArgumentHelp("Of several cities, take the nearest to this place.", valueName: "place"),
    completion: .custom(PlaceCompletion.complete))
  private var nearWord: String?

  @Option(
    name: [.customShort("c", allowingJoined: true), .customLong("country")],
    help: ArgumentHelp("Draw this country, by its code or name.", valueName: "country"))
  private var countryWord: String?

  @OptionGroup var choice: PlaceOptions

  @OptionGroup(title: "Map") package var map: MapOptions
  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// For the parser.
  package init() {}

  /// The place; absent for the saved position.
  package var target: Place? {
    get throws { try choice.place(words) }
  }

  /// The code or name of the country to draw.
  package var country: String? { countryWord }

  /// Whether to take the first city that `find` finds.
  package var takesFirst: Bool { choice.first }

  /// The place that decides among several cities with the same name.
  package var near: Place? {
    get throws { try nearWord.map { try PlaceArgument.parse(Word(argument: $0)) } }
  }

  /// Refuses invalid places, and a choice where there is none.
  package func validate() throws {
    let target = try target
    if let countryWord {
      if countryWord.isEmpty { throw ValidationError("--country must be a code or a name, such as IS") }
      let hasOthers = try target != nil || near != nil || choice.first || choice.strict
      if hasOthers { throw ValidationError("--country draws a whole country; it cannot be combined with a place") }
    }
    if try near != nil, target?.title == nil, target?.query == nil {
      throw ValidationError("--near chooses between cities with the same name; it needs a name")
    }
  }
}

/// `bank map`: locations of banks.
package struct BankMapVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "map", in: "bank", usage: "[<options>] [<id>]",
    abstract: "Draw a map of locations.",
    discussion: """
      With an id, the map shows that location; with --near, the locations nearest to a place, which is marked; \
      otherwise, all locations that pass the filters. Branches, ATMs and BNAs have different marks, explained in the \
      line below the map. Everything else is as in 'citiesctl map'.

        # Draw a map of one location
        citiesctl bank map imaginary-1
        # Draw the cash machines nearest to a city
        citiesctl bank map --near 'Tallinn, EE' --kind atm
        # Draw the locations of a region as a picture
        citiesctl bank map -c LT --region Alytus -o svg > alytus.svg
      """)

  @Argument(help: "The id of one location.")
  private var id: Word?

  @Option(
    name: .customLong("near"),
    help: ArgumentHelp("Draw the locations nearest to this place.", valueName: "place"),
    completion: .custom(PlaceCompletion.complete))
  private var nearWord: String?

  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("limit")],
    help: ArgumentHelp("With --near: at most n, up to 1000 (default: 10).", valueName: "n"))
  private var limitWord: String?

  @OptionGroup(title: "Filter") var filter: BankFilterOptions
  @OptionGroup(title: "Map") package var map: MapOptions
  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// For the parser.
  package init() {}

  /// The three requests of the verb.
  package enum Question {
    /// One location.
    case one(BankGet)
    /// The nearest to a place.
    case near(BankNear)
    /// All locations that pass the filters.
    case all(BankList)
  }

  /// The request to the server.
  package var question: Question {
    get throws {
      if let id { return .one(BankGet(id: id.text, at: filter.moment.at)) }
      guard let nearWord else { return .all(BankList(filter: filter.conditions)) }
      let place = try PlaceArgument.parse(Word(argument: nearWord))
      return .near(BankNear(place: place, filter: filter.conditions, limit: try limit))
    }
  }

  private var limit: UInt64? {
    get throws { try RangedNumbers.count("--limit", limitWord, from: 1, to: BankNear.maximumLimit) }
  }

  /// Refuses invalid places, and contradictions.
  package func validate() throws {
    _ = try question
    _ = try limit
    if id?.text == "" { throw ValidationError("missing argument: an id, as 'citiesctl bank search' prints it") }
    if id != nil, nearWord != nil { throw ValidationError("an id cannot be combined with --near") }
    if limitWord != nil, nearWord == nil {
      throw ValidationError("--limit needs --near; without it, a map shows all locations that pass the filters")
    }
    if id != nil, filter.narrows {
      throw ValidationError("filters cannot be combined with an id, which is one location")
    }
  }
}

/// The options about how a map is drawn.
package struct MapOptions: ParsableArguments {
  @Option(
    name: [.customLong("output"), .customShort("o")],
    help: ArgumentHelp(
      "The format: text, svg, geojson or geo (default: text).",
      discussion: """
        svg is a picture with a legend, light or dark by the viewer's preference, with 10 by 20 units per cell. \
        geojson has a feature (RFC 7946) for each place, geo a line with a geo: URI (RFC 5870).
        """,
      valueName: "format"),
    completion: Choice.completion(of: MapFormat.self))
  private var outputWord: String?

  @Option(
    name: .customLong("width"),
    help: ArgumentHelp("Width in columns (default: the terminal's, or 80).", valueName: "cells"))
  private var widthWord: String?

  @Option(
    name: .customLong("height"),
    help: ArgumentHelp(
      "Height in rows (default: suits the width).", valueName: "cells"))
  private var heightWord: String?

  @Option(
    name: .customLong("zoom"),
    help: ArgumentHelp("The distance that the width shows, such as 25km.", valueName: "distance"))
  private var zoomWord: String?

  @Option(
    name: .customLong("color"),
    help: ArgumentHelp("Use colour: auto, always or never (default: auto).", valueName: "when"),
    completion: Choice.completion(of: ColourChoice.self))
  private var colorWord: String?

  /// For the parser.
  package init() {}

  /// How the map is written.
  package var output: MapFormat { outputWord.flatMap(MapFormat.init) ?? .text }

  /// Columns of cells that were requested.
  package var width: Int? { (try? Self.cells("--width", widthWord, from: 10, to: 2_000)) ?? nil }

  /// Rows of cells that were requested.
  package var height: Int? { (try? Self.cells("--height", heightWord, from: 4, to: 1_000)) ?? nil }

  /// Metres that the width covers, if that was requested.
  package var zoom: Double? { (try? RangedNumbers.distance("--zoom", zoomWord)) ?? nil }

  /// When to emphasize.
  package var color: ColourChoice { colorWord.flatMap(ColourChoice.init) ?? .auto }

  private static func cells(_ option: String, _ word: String?, from least: UInt64, to most: UInt64) throws -> Int? {
    try RangedNumbers.count(option, word, from: least, to: most).map { Int($0) }
  }

  /// Refuses unknown names, what is out of range, and a map of no ground at all.
  package func validate() throws {
    let _: MapFormat? = try Choice.read("--output", outputWord)
    let _: ColourChoice? = try Choice.read("--color", colorWord)
    _ = try Self.cells("--width", widthWord, from: 10, to: 2_000)
    _ = try Self.cells("--height", heightWord, from: 4, to: 1_000)
    if try RangedNumbers.distance("--zoom", zoomWord) == 0 {
      throw ValidationError("--zoom must be more than 0 metres")
    }
  }
}

/// How a map is written.
package enum MapFormat: String, CaseIterable, Sendable {
  /// Characters.
  case text
  /// A vector picture.
  case svg
  /// RFC 7946.
  case geojson
  /// RFC 5870, one URI per line.
  case geo
}
