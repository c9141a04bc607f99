internal import CitiesClient
package import CitiesProtocol

/// `bank`: the commands for bank locations.
extension VerbGroup {
  static let bank = VerbGroup(
    "bank",
    verbs: [
      BankRegionsVerb.self, BankListVerb.self, BankSearchVerb.self, BankShowVerb.self, BankNearVerb.self,
      BankMapVerb.self,
    ], usual: BankNearVerb.self,
    abstract: "Find bank branches and cash machines.",
    discussion: """
      A location is a branch, an ATM (a cash machine) or a BNA (a cash machine that also takes deposits). The column \
      'open' is yes, no or unknown, by the local time of the location; opening hours that cannot be read are \
      unknown, never guessed. On a public holiday of the country, which the column 'holiday' names, hours are unknown \
      too, unless the source gives hours for holidays ('holiday_hours'); machines and locations that are always open \
      keep theirs. In JSON, 'closed_days' are other dates on which it is closed, and 'suspicious' is true if its \
      position is far outside its country.

      If a source has never delivered, answers that may lack its locations have the exit status 4, and a note on \
      standard error gives the reason.
      """)
}

/// `bank regions`: the countries with their regions.
struct BankRegionsVerb: RowVerb {
  static let command = CommandText(
    "regions", in: "bank", usage: "[<options>]",
    abstract: "List countries and regions, with counts.",
    discussion: """
      A table has a heading for each country. The other formats have a row for each region, with the columns country, \
      country_name, region and count. Filters apply to the locations; regions without a match are left out.

        # Count the cash machines of each region
        citiesctl bank regions --kind atm
      """)

  static let columns = RegionListing.columns

  var filter = BankFilterOptions()
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    try table.group(&filter)
  }

  func perform(in context: Context) throws -> ExitStatus {
    let request = BankRegions(filter: filter.conditions)
    let reply = try context.send(request)
    return try context.write(RegionListing.of(reply), empty: "no location passes the filters; try fewer of them")
  }
}

/// `bank list`: locations under their headings.
struct BankListVerb: PagedVerb {
  static let command = CommandText(
    "list", in: "bank", usage: "[<options>]",
    abstract: "List locations by country, region and name.",
    discussion: """
      A table has headings for countries and regions. The columns of tsv and csv are title, lat, lon, id, bank, \
      kind, country, country_name, region, name, address, open, phone, email, website, no_cash, coin_station, \
      availability, info, hours, zone, code, holiday and holiday_hours.

        # List the locations of one region
        citiesctl bank list --country Lithuania --region Alytus
        # List the branches that are open now
        citiesctl bank list --kind branch --open-now --columns title,address
        # Write all locations to a file for a map program
        citiesctl bank list --all --output geojson > locations.geojson
      """)

  static let columns = BankListing.columns

  var filter = BankFilterOptions()
  var page = PageOptions()
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    try table.group(&filter)
    try table.group(&page)
  }

  func perform(in context: Context) throws -> ExitStatus {
    try renderLocations(
      BankList(filter: filter.conditions), isUnderHeadings: true,
      empty: "no location passes the filters; 'citiesctl bank regions' lists countries and regions", in: context)
  }
}

extension PagedVerb {
  /// Fetches pages of locations and writes them, or only their number.
  func renderLocations<Message: PagedRequest>(
    _ request: Message, isUnderHeadings: Bool, empty: String, in context: Context
  ) throws -> ExitStatus where Message.Reply == BankPage {
    let reply = try fetch(request, in: context)
    guard page.count else {
      return try context.write(BankListing.of(reply, isUnderHeadings: isUnderHeadings)) {
        $0.notePage(reply, page, empty: empty)
      }
    }
    defer {
      context.noteUnknownHours(reply.unknownHours)
      context.noteSources(reply.sources)
    }
    return reply.sources.status(try context.render(countOf: reply, sources: reply.sources))
  }
}

extension Context {
  /// Prints the number of locations that `--open-now` left out although they may be open, so that the result does not
  /// seem complete.
  package func noteUnknownHours(_ count: UInt64?) {
    guard let count, count > 0 else { return }
    let subject = count == 1 ? "1 location was left out because its" : "\(count) locations were left out because their"
    diagnostics.note("unknown-hours", "\(subject) hours are unknown")
  }
}

/// `bank search WORDS…`: locations whose name and address contain every word.
struct BankSearchVerb: PagedVerb {
  static let command = CommandText(
    "search", in: "bank", usage: "[<options>] <word>…",
    abstract: "Find locations by words in their name or address.",
    discussion: """
      Every word must occur somewhere in the name or address; case and accents do not matter. The columns are those \
      of 'citiesctl bank list', and the order is by name. The empty word '' finds every location.

        # Find the locations at a railway station
        citiesctl bank search balti jaam
        # Find the cash machines with "tallinn" in name or address
        citiesctl bank search tallinn --kind atm --country ee
      """)

  static let columns = BankListing.columns

  private var words: [String] = []
  var filter = BankFilterOptions()
  var page = PageOptions()
  var answer = AnswerOptions()

  mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("word", "A word in the name or address.")
    try table.group(&filter)
    try table.group(&page)
  }

  /// Rejects a search without words, and contradictory options.
  func validate() throws {
    if words.isEmpty { throw ValidationError("missing argument: <word>; '' finds every location") }
    try validateCount()
  }

  func perform(in context: Context) throws -> ExitStatus {
    let query = words.joined(separator: " ")
    return try renderLocations(
      BankSearch(query: query, filter: filter.conditions), isUnderHeadings: false,
      empty: "no location has \"\(query)\" in its name or address; try fewer words", in: context)
  }
}

/// `bank show ID`: a location with all its details.
package struct BankShowVerb: RowVerb {
  package static let command = CommandText(
    "show", in: "bank", usage: "[<options>] <id>",
    abstract: "Show a location in full, with its opening hours.",
    discussion: """
      A table is a page of text, with a map beside it on a terminal of 80 columns or more; the other formats have the columns of 'citiesctl bank list'. An id stays the \
      same as long as bank, kind, name, address and position do. If several locations would share an id, the first one \
      keeps it; the ids of the others end with a hash of their remaining fields (…-5be0c4d1), and those of equal \
      locations with a number.

        # Show a location that 'citiesctl bank search' has found
        citiesctl bank show imaginary-1
        # Show whether it will be open on Christmas Eve
        citiesctl bank show imaginary-1 --at 2026-12-24T16:00:00+01:00
      """)

  package static let columns = BankListing.columns

  private var id = ""
  var moment = AskedMomentOption()
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    id = table.argument("id", "The id of the location.", completion: .locations, isRequired: true) ?? ""
    try table.group(&moment)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// The request to the server.
  package var request: BankGet { BankGet(id: id, at: moment.at) }

  /// Rejects an empty id.
  package func validate() throws {
    if id.isEmpty { throw ValidationError("missing argument: an id, as 'citiesctl bank search' prints it") }
  }

  package func perform(in context: Context) throws -> ExitStatus {
    let isPage = context.showsPage
    if isPage, context.output.isTerminal { _ = HelperProgram.beside().replaceThisProcess(context.words) }
    let reply = try context.send(request)
    if isPage {
      try context.write(BankPageText.of(reply.entry, at: moment.at))
    } else {
      try context.render(BankListing.of(reply))
    }
    context.noteSources(reply.sources)
    return .found
  }
}

/// `bank near [PLACE]`: the locations nearest to a place.
package struct BankNearVerb: LineVerb {
  package static let command = CommandText(
    "near", in: "bank", usage: "[<options>] [<place>…]",
    abstract: "Find the locations nearest to a place.",
    discussion: """
      A place is LAT,LON in degrees, a geo: URI, or the id or name of a city, as in 'citiesctl show'. The default is \
      the position saved by 'citiesctl here'. The columns are those of 'citiesctl bank list', and distance after code: \
      whole metres along a great circle.

      If the argument is -, every line of standard input is a place. \(LineHelp.answers)

        # Find the nearest cash machine
        citiesctl bank near 'Tallinn, EE' --kind atm --limit 1
        # Find the open locations up to 2 km away
        citiesctl bank near 54.396,24.046 --open-now --radius 2km
        # Find the nearest cash machine to every place of a file
        citiesctl bank near --kind atm --limit 1 - < places.txt
      """)

  package static let columns = BankListing.neighbourColumns

  private var words: [String] = []
  var reach = ReachOptions()
  var choice = PlaceOptions()
  var filter = BankFilterOptions()
  package var answer = AnswerOptions()

  package mutating func declare(in table: inout ArgumentTable) throws {
    words = table.arguments("place", "LAT,LON, a geo: URI, or the id or name of a city.", completion: .places)
    try table.group(&reach)
    try table.group(&choice)
    try table.group(&filter)
  }

  /// Creates an instance for the parser.
  package init() {}

  /// Whether the command reads lines from standard input.
  package var readsLines: Bool { words == [Self.standardInput] }

  /// Rejects invalid places.
  package func validate() throws {
    if readsLines { try validateLines(choice) } else { _ = try choice.place(words) }
  }

  package func perform(in context: Context) throws -> ExitStatus {
    if readsLines { throw HelperProgram.beside().replaceThisProcess(context.words) }
    let place = try choice.place(words) ?? Place(at: HereFile(environment: context.environment).required())
    context.noteMetres()
    let reply = try context.ask(about: place, choice) { (client, place) throws(ClientError) in
      let reply = try client.send(
        BankNear(place: place, filter: filter.conditions, limit: reach.limit, radius: reach.radius))
      return (reply, reply.resolved)
    }
    let empty = "no such location within that distance; try a larger --radius or fewer filters"
    return try context.write(listing(reply), empty: empty) {
      $0.noteLimit(
        .nearest, shown: reply.rows.count, limit: reach.chosen, or: CityNear.defaultLimit,
        isNarrowed: reach.radius != nil || filter.narrows)
    }
  }
}

// Lines of standard input.
extension BankNearVerb {
  package func request(line: String) throws -> BankNear {
    BankNear(
      place: try choice.place(line: line), filter: filter.conditions, limit: reach.limit, radius: reach.radius)
  }

  package func listing(_ reply: BankNear.Reply) -> Listing<BankEntry> { BankListing.of(reply) }
}
