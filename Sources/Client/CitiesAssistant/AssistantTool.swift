@_exported public import Base
internal import CBOR
internal import CBORTools
internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol
internal import Text

/// A tool: a request of the wire, or a command of citiesctl.
struct AssistantTool {
  /// What a tool replies.
  struct Answer {
    /// The content for the assistant to read.
    let block: CBORValue
    /// The structured content.
    var content: CBORValue?
  }

  let name: String
  /// The entry in `tools/list`.
  let definition: CBORValue
  /// The entry without what old versions do not have.
  let plainDefinition: CBORValue
  /// Default arguments.
  private let defaults: KeyValuePairs<String, CBORValue>
  /// Replies to arguments of ``params(_:)``.
  let answer: (CBORValue, CommandRunner) throws -> Answer

  /// A tool whose arguments are the parameters of a message, and whose reply is its result.
  init<Message: RequestMessage>(
    _ name: String, _ message: Message.Type, _ schema: MessageSchema, title: String, description: String,
    defaults: KeyValuePairs<String, CBORValue> = [:], text: @escaping (Message.Reply) -> [String]
  ) {
    let rule = Message.method.split(separator: ".").joined(separator: "-")
    self.init(name, rule, schema, title: title, description: description, defaults: defaults) { params, runner in
      let reply = try runner.context.ask { (client) throws(ClientError) in
        try client.call(method: Message.method, params: params)
      }
      let lines = text(try CBORDecoder().decode(Message.Reply.self, from: reply.encoded()))
      return Answer(block: .block(lines.joined(separator: "\n")), content: reply.readable)
    }
  }

  /// A tool with the schemas of the rules `RULE-params` and `RULE-result`, if there is such a rule.
  init(
    _ name: String, _ rule: String, _ schema: MessageSchema, title: String, description: String,
    defaults: KeyValuePairs<String, CBORValue> = [:], answer: @escaping (CBORValue, CommandRunner) throws -> Answer
  ) {
    (self.name, self.defaults, self.answer) = (name, defaults, answer)
    plainDefinition = .object([
      "name": .text(name), "description": .text(description),
      "inputSchema": schema.schema(of: "\(rule)-params", isClosed: true),
      "annotations": .object(["readOnlyHint": .bool(true), "openWorldHint": .bool(true)]),
    ])
    let titled = plainDefinition.adding("title", .text(title))
    let output = schema.rules["\(rule)-result"].map { _ in schema.schema(of: "\(rule)-result", isClosed: false) }
    definition = output.map { titled.adding("outputSchema", $0) } ?? titled
  }

  /// The arguments in the form of the wire, with the defaults.
  ///
  /// - Throws: `CommandFailure` for an unknown argument, which the server would ignore, and for an amount that may not
  ///   be exact, and `ValidationError` for one that is not a number, and for a place that is not one.
  func params(_ arguments: [(key: CBORValue, value: CBORValue)]) throws -> CBORValue {
    let known = definition["inputSchema"]?["properties"] ?? .map([])
    let names = if case .map(let all) = known { all.map { $0.key.json() }.joined(separator: ", ") } else { "none" }
    var params: [(key: CBORValue, value: CBORValue)] = []
    for (key, value) in arguments {
      guard case .text(let name) = key, let schema = known[name] else {
        throw CommandFailure.usage("there is no argument \(key.json()); there are \(names)")
      }
      params.append((key, name == "amount" ? try Self.decimal(value) : try Self.wire(value, schema)))
    }
    let given = CBORValue.map(arguments)
    return .map(params + defaults.filter { given[$0.key] == nil }.map { (.text($0.key), $0.value) })
  }

  /// A value in the form of the wire: a whole number such as 1.0 is an integer there, and a place is a map.
  private static func wire(_ value: CBORValue, _ schema: CBORValue?) throws -> CBORValue {
    switch value {
    case .double(let number): return Int64(exactly: number).map { CBORValue(integer: Int128($0)) } ?? value
    // Only places are a choice of text and others.
    case .text(let word) where schema?["anyOf"] != nil:
      let isZoned = schema?.json().contains(#""zone""#) ?? false
      let place = try PlaceArgument.parse(word, takesZones: isZoned)
      return try CBORValue(decoding: CBOREncoder().encode(place))
    case .array(let elements): return .array(try elements.map { try wire($0, schema?["items"]) })
    case .map(let pairs):
      return .map(
        try pairs.map { key, value in
          guard case .text(let name) = key else { return (key, value) }
          return (key, try wire(value, schema?["properties"]?[name]))
        })
    default: return value
    }
  }

  /// An amount in its exact form on the wire.
  private static func decimal(_ value: CBORValue) throws -> CBORValue {
    let text = if case .text(let text) = value { text } else { value.json() }
    // It has been read as a double, which keeps 15 digits of any number.
    if case .double = value, text.filter(\.isNumber).drop(while: { $0.is("0") }).count > 15 {
      throw CommandFailure.usage(#"amount has too many digits for a number; write it as text, such as "12.50""#)
    }
    return try CBORValue(decoding: CBOREncoder().encode(AmountArgument.parse(text)))
  }

  /// The text of an error, with advice on what to ask instead.
  static func text(_ error: any Error) -> String {
    let failure = error as? CommandFailure ?? (error as? ClientError).map(CommandFailure.init(ofProtocol:))
    let message = readable(failure?.message ?? "\(error)")
    if case ClientError.server(let reason) = error, let param = reason.data?.param,
      param.hasPrefix("place") || param == "near"
    {
      return "\(message); \(place)"
    }
    guard let cities = failure?.candidates, !cities.isEmpty else { return message }
    return (["\(message):"] + cities.map { line($0) }).joined(separator: "\n")
  }
}

extension AssistantTool {
  /// The syntax of a place.
  static let place = """
    a place is a text, {"query": "a name"}, {"id": the id of a city} or {"at": {"lat": degrees north, "lon": degrees east}}
    """

  /// All tools, in the order of `tools/list`.
  static func all() -> [AssistantTool] {
    let schema = MessageSchema(with: commandRules)
    return places(schema) + timesAndBanks(schema) + [money(schema)] + commands(schema)
  }

  private static func places(_ schema: MessageSchema) -> [AssistantTool] {
    [
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
        return reply.rows.map(line)
      },
      AssistantTool(
        "describe_point", CityNear.self, schema, title: "Describe a point",
        description: """
          Says which country a point is in, and which city is nearest. Distances are in metres; \(place). limit is the \
          number of cities (default: 1). With the rule "place" the first city is the one that people would name.
          """, defaults: ["limit": .unsigned(1), "with": .array([.text("region"), .text("zone")])]
      ) { reply in
        let country = reply.country.map { code in
          let name = code.isEmpty ? "at sea" : "in \(CountryName.name(of: code))"
          return "The point is \(name)\(reply.certain == false ? "; a border is near, so this is not certain" : "")."
        }
        return [country].compactMap(\.self) + reply.rows.map { "\($0.distance) m away: \(line($0.city))" }
      },
    ]
  }

  private static func timesAndBanks(_ schema: MessageSchema) -> [AssistantTool] {
    [
      AssistantTool(
        "local_time", CityTime.self, schema, title: "Get the local time",
        description: """
          Gives the local time of up to 100 places, their time zones, and when their clocks change next; \(place); or \
          {"zone": "Europe/Tallinn"}. at is a moment other than now: RFC 3339; or, in the local time of the first place, \
          2026-03-29T14:30, a day such as 2026-03-29, or a time of today such as 14:30.
          """
      ) { reply in
        reply.rows.map { row in
          let name = value(row.city?.title ?? row.zone ?? "")
          guard let local = row.local else { return "\(name): the local time is not known" }
          let zone = [row.abbreviation, row.zone.map(value)].compactMap(\.self).joined(separator: ", ")
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
          let address = [bank.name, bank.address].compactMap(\.self).map(value).joined(separator: ", ")
          let open = row.open == .unknown ? "opening hours unknown" : row.open == .yes ? "open" : "closed"
          return "\(row.distance ?? 0) m away: \(address) (\(value(bank.bank)), \(bank.kind.rawValue)), \(open)"
            + (bank.suspicious == true ? "; its position is suspicious: far outside \(value(bank.countryName))" : "")
        }
        return (rows.isEmpty ? ["No location was found."] : rows) + notes(reply.sources)
      },
    ]
  }

  private static func money(_ schema: MessageSchema) -> AssistantTool {
    AssistantTool(
      "convert_money", RateConvert.self, schema, title: "Convert money",
      description: """
        Converts an amount into another currency, exactly, and rounds it to the decimals of that \
        currency. Currencies are codes such as EUR; the amount is a number, or text such as "12.50" with any number \
        of digits. The path shows the rates.
        """
    ) { reply in
      let unread = (reply.path.leftOutRates ?? []).map {
        "The rate from \($0.from) to \($0.to) cannot be read; the conversion would have used it."
      }
      return ["\(reply.amount) \(reply.path.from) = \(reply.result) \(reply.path.to)"] + unread
        + notes(reply.sources)
    }
  }

  /// A city that was found.
  static func line(_ row: CityFind.Row) -> String {
    line(row.city) + (row.matched.map { ", also called \(value($0))" } ?? "")
      + (row.by == .typo ? " (the name differs from the query)" : "")
  }

  private static func line(_ city: CityRow) -> String {
    let facts = [
      "\(value(city.title))\(city.region.map { " (\(value($0)))" } ?? "")",
      "\(decimalText(city.lat)),\(decimalText(city.lon))",
      city.population.map { "population \($0)" }, city.zone.map(value), "id \(city.id)",
    ]
    return facts.compactMap(\.self).joined(separator: ", ")
  }

  private static func notes(_ sources: Provenance) -> [String] {
    let missing = sources.feeds.filter { sources.missingFeeds.contains($0.feed) }
    return missing.map { "No data yet: \($0.feed.rawValue): \(value($0.missing ?? ""))" }
      + (sources.leftOut > 0 ? ["\(sources.leftOut) records of these banks cannot be read."] : [])
      + (sources.sample ? ["Sample data, not real."] : sources.asOf.map { ["Data of \($0.text)."] } ?? [])
  }
}
