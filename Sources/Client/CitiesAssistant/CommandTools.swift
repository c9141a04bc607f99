internal import CBOR
internal import CBORTools
internal import CitiesCommands
internal import CitiesProtocol
internal import System

/// Tools that are commands of citiesctl.
extension AssistantTool {
  /// The schemas of their arguments and results.
  static let commandRules = """
    distance-params = { from: place, to: place }
    distance-row = { from: tstr, to: tstr, distance: uint, bearing: float }
    distance-result = { rows: [distance-row] }
    country-params = { country: tstr }
    country-row = { country: tstr, name: tstr, ? capital: tstr, ? currency: tstr, zones: [* tstr], cities: uint }
    country-result = { rows: [country-row] }
    map-params = { ? place: place, ? country: tstr, ? width: metres, ? format: "svg" / "png" }
    """

  static func commands(_ schema: MessageSchema) -> [AssistantTool] {
    [
      AssistantTool(
        "distance", "distance", schema, title: "Measure a distance",
        description: """
          Measures the distance between two places in metres along a great circle, and the direction at its start in \
          degrees clockwise from north; \(place).
          """
      ) { arguments, runner in
        let words = try [word(arguments["from"], "from"), word(arguments["to"], "to")]
        return try rows(runner.run(["distance", "--output", "json", "--"] + words)) { row in
          "\(shown(row["from"])) to \(shown(row["to"])): \(shown(row["distance"])) m, "
            + "starting at \(shown(row["bearing"]))° clockwise from north"
        }
      },
      AssistantTool(
        "country", "country", schema, title: "Describe a country",
        description: "Gives the capital, currency, time zones and number of cities of a country (code or name)."
      ) { arguments, runner in
        guard case .text(let name)? = arguments["country"] else { throw CommandFailure.usage("country must be text") }
        return try rows(runner.run(["country", "--output", "json", "--", name])) { row in
          let zones = if case .array(let all)? = row["zones"] { all.map(shown).joined(separator: ", ") } else { "" }
          return "\(shown(row["name"])) (\(shown(row["country"]))): capital \(shown(row["capital"])), "
            + "currency \(shown(row["currency"])), time zones \(zones), \(shown(row["cities"])) cities"
        }
      },
      AssistantTool(
        "map", "map", schema, title: "Draw a map",
        description: """
          Draws a city and its surroundings, or a country, as SVG. With the format png, the map is an image, if the \
          program rsvg-convert is installed; width is how many metres the map shows; \(place).
          """, answer: map),
    ]
  }

  private static func map(_ arguments: CBORValue, _ runner: CommandRunner) throws -> Answer {
    var words = ["map", "--output", "svg"]
    if let width = arguments["width"] { words += ["--zoom", width.json()] }
    if case .text(let country)? = arguments["country"] { words += ["--country", country] }
    if let place = arguments["place"] { words += ["--", try word(place, "place")] }
    let (svg, notes) = try runner.run(words)
    guard arguments["format"] == .text("png") else {
      let lines = svg.split(separator: "\n").map { readable(String($0)) } + notes.map { "<!-- \(value($0)) -->" }
      return Answer(block: .block(lines.joined(separator: "\n")))
    }
    return Answer(block: try picture(svg))
  }

  /// The words of an argument that is a place.
  private static func word(_ value: CBORValue?, _ name: String) throws -> String {
    guard let value, let place = try? CBORDecoder().decode(Place.self, from: value.encoded()) else {
      throw CommandFailure.usage("\(name) must be a place; \(place)")
    }
    return place.at.map { "\(decimalText($0.lat)),\(decimalText($0.lon))" } ?? place.id.map { "\($0)" }
      ?? place.title ?? place.query ?? ""
  }

  /// The rows that a command has printed as JSON, a line each, and its notes.
  private static func rows(
    _ printed: (output: String, notes: [String]), _ line: (CBORValue) -> String
  ) throws -> Answer {
    let content = try CBORValue(json: printed.output)
    guard case .array(let rows)? = content["rows"] else { return Answer(block: .block("")) }
    let lines = rows.map(line) + printed.notes.map(readable)
    return Answer(block: .block(lines.joined(separator: "\n")), content: content.readable)
  }

  /// A value in a line of text.
  private static func shown(_ field: CBORValue?) -> String {
    if case .text(let text)? = field { value(text) } else { field?.json() ?? "unknown" }
  }

  /// A picture as PNG.
  private static func picture(_ svg: String) throws -> CBORValue {
    let program = "rsvg-convert"
    let run = try? ProgramRun(program, ["--zoom", "2"], input: Array(svg.utf8), seconds: 10)
    guard let run, run.ending == .exited(0) else {
      throw CommandFailure.usage("format png needs the program \(program) (package librsvg2-bin); svg does not")
    }
    var data: [UInt8] = []
    data.appendBase64(run.bytes)
    return .object([
      "type": .text("image"), "data": .text(String(decoding: data, as: UTF8.self)), "mimeType": .text("image/png"),
    ])
  }
}

extension CBORValue {
  /// A text as content of a result.
  static func block(_ text: String) -> Self { .object(["type": .text("text"), "text": .text(text)]) }
}
