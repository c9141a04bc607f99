internal import Base
internal import CBOR
internal import CBORTools
internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol

/// A request of the wire as a tool: its parameters are the tool's arguments, its reply is the result.
struct AssistantTool {
  let name: String
  /// The method of the message.
  let method: String
  /// The entry in `tools/list`.
  let definition: CBORValue
  /// Default arguments.
  private let defaults: KeyValuePairs<String, CBORValue>
  /// Formats a reply as a few lines of text.
  let text: (CBORValue) throws -> String

  init<Message: RequestMessage>(
    _ name: String, _ message: Message.Type, _ schema: MessageSchema, title: String, description: String,
    defaults: KeyValuePairs<String, CBORValue> = [:], text: @escaping (Message.Reply) -> [String]
  ) {
    (self.name, method, self.defaults) = (name, Message.method, defaults)
    let rule = method.split(separator: ".").joined(separator: "-")
    definition = .object([
      "name": .text(name), "title": .text(title), "description": .text(description),
      "inputSchema": schema.schema(of: "\(rule)-params", isClosed: true),
      "outputSchema": schema.schema(of: "\(rule)-result", isClosed: false),
      "annotations": .object(["readOnlyHint": .bool(true), "openWorldHint": .bool(false)]),
    ])
    self.text = { reply in
      text(try CBORDecoder().decode(Message.Reply.self, from: reply.encoded())).joined(separator: "\n")
    }
  }

  /// The parameters of the message.
  ///
  /// - Throws: `CommandFailure` for an unknown argument, which the server would ignore, and for an amount that may not
  ///   be exact, and `ValidationError` for one that is not a number.
  func params(_ arguments: [(key: CBORValue, value: CBORValue)]) throws -> CBORValue {
    let known = definition["inputSchema"]?["properties"] ?? .map([])
    let names = if case .map(let all) = known { all.map { $0.key.json() }.joined(separator: ", ") } else { "none" }
    var params: [(key: CBORValue, value: CBORValue)] = []
    for (key, value) in arguments {
      guard case .text(let name) = key, known[name] != nil else {
        throw CommandFailure.usage("there is no argument \(key.json()); there are \(names)")
      }
      params.append((key, name == "amount" ? try Self.decimal(value) : value))
    }
    let given = CBORValue.map(arguments)
    return .map(params + defaults.filter { given[$0.key] == nil }.map { (.text($0.key), $0.value) })
  }

  /// An amount in its exact form on the wire.
  private static func decimal(_ value: CBORValue) throws -> CBORValue {
    // A JSON number with a fraction or an exponent has lost digits: it has been read as a double.
    if case .double = value { throw CommandFailure.usage(#"amount must be text, such as "12.50""#) }
    let text = if case .text(let text) = value { text } else { value.json() }
    return try CBORValue(decoding: CBOREncoder().encode(AmountArgument.parse(text)))
  }

  /// The text of an error, with advice on what to ask instead.
  static func text(_ error: any Error) -> String {
    guard case ClientError.server(let reason) = error, let data = reason.data else {
      return (error as? CommandFailure)?.message ?? "\(error)"
    }
    if let param = data.param, param.hasPrefix("place") || param == "near" { return "\(error); \(place)" }
    guard let cities = data.candidates, !cities.isEmpty else { return "\(error)" }
    return (["\(error):"] + cities.map { line($0) }).joined(separator: "\n")
  }
}

extension AssistantTool {
  /// The syntax of a place.
  private static let place = """
    a place is {"query": "a name"}, {"id": the id of a city} or {"at": {"lat": degrees north, "lon": degrees east}}
    """

  /// All tools, in the order of `tools/list`.
  static func all() -> [AssistantTool] {
    let schema = MessageSchema()
    return [
      AssistantTool(
        "find_place", CityFind.self, schema, title: "Find a place",
        description: """
          Finds cities by a name in any language, the start of a name, or a name with typing errors; the best match \
          comes first. The region or the country may follow the name in the query. Other tools take the id of a row. \
          With near, cities around a place come first; \(place).
          """
      ) { reply in
        guard !reply.rows.isEmpty else {
          return ["No city was found. Try another spelling, or leave out the region and the country."]
        }
        return reply.rows.map { row in
          line(row.city) + (row.matched.map { ", also called \($0)" } ?? "")
            + (row.by == .typo ? " (the name differs from the query)" : "")
        }
      },
      AssistantTool(
        "describe_point", CityNear.self, schema, title: "Describe a point",
        description: """
          Says which country a point is in, and which city is nearest. Distances are in metres; \(place). limit is the \
          number of cities (default: 1). With the rule "place" the first city is the one that people would name.
          """, defaults: ["limit": .unsigned(1), "with": .array([.text("region"), .text("zone")])]
      ) { reply in
        let country = reply.country.map { code in
          let name = code.isEmpty ? "at sea" : "in \(CountryNames()[code] ?? code)"
          return "The point is \(name)\(reply.certain == false ? "; a border is near, so this is not certain" : "")."
        }
        return [country].compactMap(\.self) + reply.rows.map { "\($0.distance) m away: \(line($0.city))" }
      },
      AssistantTool(
        "local_time", CityTime.self, schema, title: "Get the local time",
        description: """
          Gives the local time of up to 100 places, their time zones, and when their clocks change next; \(place); or \
          {"zone": "Europe/Tallinn"}. at is a moment other than now: RFC 3339; or, in the local time of the first place, \
          2026-03-29T14:30, a day such as 2026-03-29, or a time of today such as 14:30.
          """
      ) { reply in
        reply.rows.map { row in
          let name = row.city?.title ?? row.zone ?? ""
          guard let local = row.local else { return "\(name): the local time is not known" }
          let zone = [row.abbreviation, row.zone].compactMap(\.self).joined(separator: ", ")
          return "\(name): \(CityTimeListing.shown(local)) \(row.offset ?? "") (\(zone))"
            + (row.change.map { "; next clock change: \(CityTimeListing.shown($0))" } ?? "")
        }
      },
      AssistantTool(
        "banks_near", BankNear.self, schema, title: "List banks near a place",
        description: """
          Lists the bank branches and cash machines nearest to a place, with addresses, distances in metres and whether \
          they are open; \(place). The kinds of the filter are branch, atm, bna (takes cash in) and unknown; open true \
          leaves out what is not known to be open at the moment at, or now.
          """
      ) { reply in
        let rows = reply.rows.map { row in
          let bank = row.location
          let address = [bank.name, bank.address].compactMap(\.self).joined(separator: ", ")
          let open = row.open == .unknown ? "opening hours unknown" : row.open == .yes ? "open" : "closed"
          return "\(row.distance ?? 0) m away: \(address) (\(bank.bank), \(bank.kind.rawValue)), \(open)"
        }
        return (rows.isEmpty ? ["No location was found."] : rows) + notes(reply.sources)
      },
      AssistantTool(
        "convert_money", RateConvert.self, schema, title: "Convert money",
        description: """
          Converts an amount into another currency, exactly, and rounds it to two places. Currencies are codes such as \
          EUR; the amount is text such as "12.50". The path shows the rates.
          """
      ) { reply in
        ["\(reply.amount) \(reply.path.from) = \(reply.result) \(reply.path.to)"] + notes(reply.sources)
      },
    ]
  }

  private static func line(_ city: CityRow) -> String {
    let facts = [
      "\(city.title)\(city.region.map { " (\($0))" } ?? "")", "\(decimalText(city.lat)),\(decimalText(city.lon))",
      city.population.map { "population \($0)" }, city.zone, "id \(city.id)",
    ]
    return facts.compactMap(\.self).joined(separator: ", ")
  }

  private static func notes(_ sources: Provenance) -> [String] {
    let missing = sources.feeds.filter { sources.missingFeeds.contains($0.feed) }
    return missing.map { "No data yet: \($0.feed.rawValue): \($0.missing ?? "")" }
      + (sources.sample ? ["Sample data, not real."] : sources.asOf.map { ["Data of \($0.text)."] } ?? [])
  }
}
