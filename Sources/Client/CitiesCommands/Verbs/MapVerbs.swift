package import CitiesProtocol

/// `map [PLACE]`: a city and its surroundings.
package struct MapVerb: HelperVerb {
  package static let command = CommandText(
    "map", usage: "[<options>] [<place>…]",
    abstract: "Draw a map of a city and its surroundings, or of a country.",
    discussion: """
      A place is the id or name of a city, as in 'citiesctl show', LAT,LON in degrees, or a geo: URI. The default is the \
      position saved by 'citiesctl here'. The name of a country, as in 'citiesctl map iceland', draws the country, and so \
      does --country with its code or name; 'citiesctl map world' draws the world, with day and night. The map shows \
      those of the 1,000 largest cities in it whose names fit. It leaves out distant islands with few inhabitants. The \
      map is drawn with the dots of braille characters, or in ASCII if the locale is not UTF-8; the largest cities are \
      labelled where there is room. Below 1 km per dot, coasts and borders are too coarse: the map is a plan \
      without streets on a plain grid.

        # Draw Suva and its surroundings
        citiesctl map 'Suva, FJ'
        # Draw the 2000 km around Ushuaia
        citiesctl map --zoom 2000km 'Ushuaia, AR'
        # Draw a map as a picture
        citiesctl map --output svg 'Tallinn, EE' > tallinn.svg
        # Draw a country
        citiesctl map --country is
        # Draw the world
        citiesctl map world
        # Open a place in the desktop's map program
        xdg-open "$(citiesctl map --output geo 'Tallinn, EE')"
      """)

  private var words: [String] = []
  /// The place nearest to which a city is chosen among several with the same name.
  package private(set) var near: Place?
  /// The code or name of the country to draw.
  package private(set) var country: String?
  var choice = PlaceOptions()
  package var map = MapOptions()
  package var connection = ConnectionOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("place", "The id or name of a city, LAT,LON or a geo: URI.", completion: .places)
    near = try table.option("--near", "place", .place, "Of several cities, take the nearest to this place.")
    country = try table.option(
      "--country", short: "-c", "country", .filled("be a code or a name, such as IS", .countries),
      "Draw this country, by its code or name.")
    try table.group(&choice)
    try table.group(&map)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// The place; `nil` for the saved position.
  package var target: Place? {
    get throws { try choice.place(words) }
  }

  /// Whether to take the first result of `find`.
  package var takesFirst: Bool { choice.first }

  /// Rejects invalid places, and options for choosing a city if there is none to choose.
  package func validate() throws {
    let target = try target
    if country != nil {
      let hasOthers = target != nil || near != nil || choice.first || choice.strict
      if hasOthers { throw ValidationError("--country draws a whole country; it cannot be combined with a place") }
    }
    if near != nil, target?.title == nil, target?.query == nil {
      throw ValidationError("--near chooses between cities with the same name; it needs a name")
    }
  }
}

/// `bank map`: locations of banks.
package struct BankMapVerb: HelperVerb {
  package static let command = CommandText(
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

  private var id: String?
  private var near: Place?
  private var limit: UInt64?
  var filter = BankFilterOptions()
  package var map = MapOptions()
  package var connection = ConnectionOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    id = table.argument("id", "The id of one location.", completion: .locations)
    near = try table.option("--near", "place", .place, "Draw the locations nearest to this place.")
    limit = try table.option(
      "--limit", short: "-n", "n", .count(from: 1, to: BankNear.maximumLimit),
      "With --near: at most n, up to 1000 (default: 10).")
    try table.group(&filter)
    try table.group(&map)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// The possible requests of the command.
  package enum Question {
    /// A single location.
    case one(BankGet)
    /// The locations nearest to a place.
    case near(BankNear)
    /// All locations that match the filters.
    case all(BankList)
  }

  /// The request to the server.
  package var question: Question {
    if let id { return .one(BankGet(id: id, at: filter.moment.at)) }
    guard let near else { return .all(BankList(filter: filter.conditions)) }
    return .near(BankNear(place: near, filter: filter.conditions, limit: limit))
  }

  /// Rejects contradictory options.
  package func validate() throws {
    if id.is("") { throw ValidationError("missing argument: an id, as 'citiesctl bank search' prints it") }
    if id != nil, near != nil { throw ValidationError("an id cannot be combined with --near") }
    if limit != nil, near == nil {
      throw ValidationError("--limit needs --near; without it, a map shows all locations that pass the filters")
    }
    if id != nil, filter.narrows {
      throw ValidationError("filters cannot be combined with an id, which is one location")
    }
  }
}

/// The options for drawing a map.
package struct MapOptions: ArgumentGroup {
  /// The output format.
  package private(set) var output = MapFormat.text
  /// The requested width in cells.
  package private(set) var width: Int?
  /// The requested height in cells.
  package private(set) var height: Int?
  /// The requested width in metres.
  package private(set) var zoom: Double?
  /// The choice of when to emphasize.
  package private(set) var color = ColourChoice.auto

  package static let title: String? = "Map"

  package mutating func declare(in table: inout ArgumentTable) throws {
    output =
      try table.option(
        "--output", short: "-o", "format", .choice, "The format: text, svg, geojson or geo (default: text).",
        details: """
          svg is a picture with a legend, light or dark by the viewer's preference, with 10 by 20 units per cell. \
          geojson has a feature (RFC 7946) for each place, geo a line with a geo: URI (RFC 5870).
          """) ?? output
    width = try table.option(
      "--width", "cells", .count(from: 10, to: 2_000), "Width in columns (default: the terminal's, or 80).")
    height = try table.option(
      "--height", "cells", .count(from: 4, to: 1_000), "Height in rows (default: suits the width).")
    zoom = try table.option("--zoom", "distance", .distance, "The distance that the width shows, such as 25km.")
    color = try table.option("--color", "when", .choice, "Use colour: auto, always or never (default: auto).") ?? color
  }

  /// Creates an instance for the parser.
  package init() {}

  /// Rejects a width of 0 metres.
  package func validate() throws {
    if zoom == 0 { throw ValidationError("--zoom must be more than 0 metres") }
  }
}

/// The formats of a map.
package enum MapFormat: String, CaseIterable, Sendable {
  /// Text characters.
  case text
  /// A vector image.
  case svg
  /// RFC 7946.
  case geojson
  /// RFC 5870, one URI per line.
  case geo
}
