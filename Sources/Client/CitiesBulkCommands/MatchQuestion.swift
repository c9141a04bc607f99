internal import CitiesCommands
internal import CitiesProtocol

/// `citiesctl match`: the city that each name means.
struct MatchQuestion: TableQuestion {
  let headings: [String]
  static let failure = RowFailure(code: "no-city", one: "no city", several: "no city", naming: "--name NAME")
  /// What fits the usual limit of requests, with room for the other parameters; and so few names that a server which
  /// looks for typing errors in each of them, for about a millisecond, answers well within the usual timeout.
  static let limits = BatchLimits(rows: 512, valueBytes: 60_000)
  static let firstRows = 16
  static let verb = "match"
  static let subject = "names"
  static let areTexts = true
  /// Bytes of a name, a region or a country; longer ones name nothing, and three of them fit a request.
  static let maximumNameBytes = 16_384

  /// The places of the regions and the countries among the wanted columns.
  private let regionColumn, countryColumn: Int?
  private let region, country: String?
  private let typos: Bool?
  private let least: CityMatch.Certainty
  private let why: Bool?
  private let unknown = UnknownAreas()

  /// Takes what the user wants.
  init(_ verb: MatchVerb) {
    regionColumn = verb.regionColumn.map { _ in 1 }
    countryColumn = verb.countryColumn.map { _ in verb.columns.count - 1 }
    (region, country, typos) = (verb.region, verb.country, verb.noTypos ? false : nil)
    (least, why) = (verb.least, verb.why ? true : nil)
    let reasons = verb.why ? ["second_id", "second", "why"] : []
    headings = ["id", "title", "country", "region", "lat", "lon", "class"] + reasons
  }

  func request(for batch: TableBatch) -> CityMatch {
    let areas = [regionColumn, countryColumn].compactMap(\.self)
    // A row with an area that nobody knows has no name either: without an area, all cities would count.
    let names = (0..<batch.count).lazy.map { row in
      areas.allSatisfy { text(row, $0, of: batch) != nil } ? text(row, 0, of: batch) ?? "" : ""
    }
    return CityMatch(
      names: TextLines(names), rows: true, with: [.region], typos: typos, region: region, country: country,
      regions: regionColumn.map { lines($0, of: batch) }, countries: countryColumn.map { lines($0, of: batch) },
      why: why)
  }

  private func lines(_ column: Int, of batch: TableBatch) -> TextLines {
    TextLines((0..<batch.count).lazy.map { text($0, column, of: batch) ?? "" })
  }

  /// A value, which is empty if it is missing; `nil` if it names nothing: it is too long or not UTF-8.
  private func text(_ row: Int, _ column: Int, of batch: TableBatch) -> String? {
    guard let value = batch.value(row, column) else { return "" }
    return value.count <= Self.maximumNameBytes ? batch.text(row, column) : nil
  }

  func write(_ answer: BulkReply, for batch: TableBatch, to table: inout TableWriter) throws {
    guard answer.index.count == batch.count, answer.classes.count == batch.count else {
      throw CommandFailure(.protocolMismatch, code: "unreadable-reply", "the reply does not have one city for each row")
    }
    let values = CityValues(answer.cities, table.syntax, onTerminal: table.isTerminal, isWhole: true)
    let words = CityMatch.Certainty.allCases.map { Array($0.word.utf8) }
    // Servers before this key leave it out.
    let reasons = answer.reasons.count == batch.count ? answer.reasons : Array(repeating: [], count: batch.count)
    let others = why == nil ? nil : CityValues(answer.cities, table.syntax, onTerminal: table.isTerminal)
    for row in 0..<batch.count {
      let (place, number) = (Int(answer.index[row]), answer.classes[row])
      countAreas(of: row, in: batch, number)
      guard number >= least.rawValue, place < values.count, Int(number) < words.count else {
        try table.failed(row, of: batch, last: why == nil ? [] : reasons[row])
        continue
      }
      table.row(row, of: batch)
      values.withBytes(of: place) { table.values($0) }
      table.value(word: words[Int(number)])
      if let others {
        let second = row < answer.second.count ? Int(answer.second[row]) : others.count
        if second < others.count { others.withBytes(of: second) { table.values($0) } } else { table.emptyValues(2) }
        table.value(word: reasons[row])
      }
      table.end()
    }
  }

  /// Counts the areas that may be why a row has no city or a guessed one; a guess lies in those of its columns.
  private func countAreas(of row: Int, in batch: TableBatch, _ certainty: UInt8) {
    guard certainty <= CityMatch.Certainty.guess.rawValue else { return }
    func column(_ place: Int?) -> String? {
      certainty == CityMatch.Certainty.none.rawValue ? place.flatMap { batch.text(row, $0) } : nil
    }
    unknown.count(region: column(regionColumn), country: column(countryColumn), in: batch.text(row, 0))
  }

  func conclusion(in context: Context) throws -> (code: String, text: String)? {
    try unknown.report(in: context).map { ("unknown-area", $0) }
  }
}
