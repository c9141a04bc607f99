package import ArgumentParser
package import CitiesProtocol

/// `bank map`: where locations of banks lie.
package struct BankMapVerb: HelperVerb {
  package static let configuration = CommandConfiguration.verb(
    "map", in: "bank", usage: "[<options>] [<id>]",
    abstract: "Draw a map of locations.",
    discussion: """
      With an id it is a map of that location; with --near, of the locations nearest to a place, which has a mark of its \
      own; else of all locations that pass the filter. Branches, ATMs and BNAs have different signs, which the line below \
      the map explains. Everything else is as in 'citiesctl map'.

        citiesctl bank map imaginary-1
        citiesctl bank map --near 'Tallinn, EE' --kind atm
        citiesctl bank map --country Lithuania --region Alytus --output svg > alytus.svg
      """)

  @Argument(help: "The id of one location.")
  private var id: Word?

  @Option(
    name: .customLong("near"),
    help: ArgumentHelp("The nearest to this place: LAT,LON, a geo: URI, a city's id or title.", valueName: "place"),
    completion: .custom(TitleCompletion.complete))
  private var nearWord: String?

  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp("With --near: locations at most, up to 1000 (default: 10).", valueName: "n"))
  private var limitWord: String?

  @OptionGroup(title: "Filter") var filter: BankFilterOptions
  @OptionGroup(title: "Map") package var map: MapOptions
  @OptionGroup(title: "Connection") package var connection: ConnectionOptions

  /// For the parser.
  package init() {}

  /// What is asked for.
  package enum Question {
    /// One location.
    case one(BankGet)
    /// The nearest to a place.
    case near(BankNear)
    /// All that fit.
    case all(BankList)
  }

  /// The question for the server.
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

  /// Refuses what is no place, and what contradicts itself.
  package func validate() throws {
    _ = try question
    _ = try limit
    if id?.text == "" { throw ValidationError("an id is wanted, such as 'citiesctl bank search' prints") }
    if id != nil, nearWord != nil { throw ValidationError("an id and --near exclude each other") }
    if limitWord != nil, nearWord == nil { throw ValidationError("--limit is for --near: a map shows all that fit") }
    if id != nil, filter.narrows { throw ValidationError("an id is one location: there is nothing to filter") }
  }
}
