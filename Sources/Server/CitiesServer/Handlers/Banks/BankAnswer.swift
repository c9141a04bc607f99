import Banks
import CBOR
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// What the replies about locations have in common: rows that are in the file as the wire has them, and where they
/// come from.
struct BankAnswer {
  /// The generation that is read.
  let generation: ServedGeneration<ResidentBanks>
  private let question: BankQuestion
  private let feeds: BankFeeds
  /// Where the locations come from.
  let sources: Provenance

  /// Answers `question` from `generation`, with locations in `circle` alone if there is one.
  init(
    _ generation: ServedGeneration<ResidentBanks>, _ question: BankQuestion, _ feeds: BankFeeds,
    within circle: (centre: GeoPoint, radius: Double)? = nil
  ) {
    (self.generation, self.question, self.feeds) = (generation, question, feeds)
    sources = feeds.sources(of: generation.data, BankReach(question.filter, within: circle))
  }

  /// Answers `question` with one location of `bank`.
  init(
    _ generation: ServedGeneration<ResidentBanks>, _ question: BankQuestion, _ feeds: BankFeeds, bank: String
  ) {
    (self.generation, self.question, self.feeds) = (generation, question, feeds)
    sources = feeds.sources(of: generation.data, bank: bank)
  }

  /// What the filter of the question selects.
  ///
  /// - Throws: `unavailable` if a name in the filter may be in data that never came, `invalid-params` if it is unknown.
  func selection() throws(WireError) -> BankIndex.Selection {
    let (bank, open, reach) = (question.filter.bank, question.filter.open, BankReach(question.filter))
    // If the country is known although its data never came, the name of the bank is still to be looked up.
    for filter in [question.filter, BankFilter(categories: [], bank: bank, open: open)] {
      do throws(BankFilterProblem) { return try index.selection(filter) } catch {
        if let unavailable = feeds.unavailable(sources.missingFeeds) { throw unavailable }
        if let problem = feeds.problem(error, among: sources, reach) { throw WireError(problem) }
      }
    }
    // The names are known, and no location has them all: nothing is selected.
    do throws(BankFilterProblem) {
      return try index.selection(BankFilter(categories: [], open: open))
    } catch {
      throw WireError(error)
    }
  }

  /// The index that is read.
  var index: BankIndex { generation.data.index }

  /// Pairs of a reply that has `others`: `as_of` is left out if it is not known, `unknown_hours` unless it is asked
  /// for.
  func pairs(besides others: Int, unknownHours: Int? = nil) -> Int {
    others + (sources.asOf == nil ? 2 : 3) + (unknownHours == nil ? 0 : 1)
  }

  /// Writes a row with what depends on the question, and its `distance` where there is one.
  ///
  /// - Throws: `unavailable` if an unverified row is malformed; the file is out of service then.
  func writeEntry(_ rank: Int, metres: UInt32? = nil, into reply: inout CBORWriter) throws(WireError) {
    let row = index.row(at: rank)
    if !generation.isProved, let problem = ResidentBanks.problem(ofRow: row) {
      throw generation.damaged("section ROWS, rank \(rank): \(problem)")
    }
    let holiday = index.holiday(at: rank, question.moment)
    reply.writeMap(count: 2 + (metres == nil ? 0 : 1) + (holiday == nil ? 0 : 1))
    reply.writePair("open", index.openState(at: rank, question.moment).rawValue)
    if let holiday {
      reply.writePair("holiday", holiday)
    }
    if let metres {
      reply.writePair("distance", UInt64(metres))
    }
    reply.writeKey("location")
    reply.writeEncoded(row)
  }

  /// Writes `sources`, `generation` and `unknown_hours`, which come last.
  func writeEnd(into reply: inout CBORWriter, unknownHours: Int? = nil) throws(WireError) {
    try reply.writeSources(sources)
    writeGeneration(into: &reply, unknownHours: unknownHours)
  }

  /// Writes `generation`, and `unknown_hours` if they were counted.
  func writeGeneration(into reply: inout CBORWriter, unknownHours: Int?) {
    reply.writeGeneration(generation.digits)
    if let unknownHours { reply.writePair("unknown_hours", UInt64(unknownHours)) }
  }
}

/// The matches of a question while they are found: those of its page, and how many there are.
struct BankMatches {
  /// The ranks in the page.
  private(set) var ranks: [Int] = []
  /// Matches in all.
  private(set) var total = 0
  /// How many a filter by hours has left out because their hours are not known; `nil` without one.
  var unknownHours: Int?
  private let page: Page

  /// Nothing is found yet of `page`.
  init(_ page: Page) { self.page = page }

  /// Takes the next match.
  mutating func append(_ rank: Int) {
    if page.contains(total) { ranks.append(rank) }
    total += 1
  }

  /// Writes the page as an answer; keys in deterministic order, shorter ones first.
  func writer(_ answer: BankAnswer) -> ResultWriter {
    return { (reply: inout CBORWriter) throws(WireError) in
      try answer.generation.requireInService()
      reply.writeMap(count: answer.pairs(besides: 2, unknownHours: unknownHours))
      reply.writeKey("rows")
      reply.writeArray(count: ranks.count)
      let start = reply.count
      for rank in ranks {
        try answer.writeEntry(rank, into: &reply)
        try answer.generation.checkSize(reply.count - start)
      }
      try reply.writeAsOf(of: answer.sources)
      reply.writePair("total", UInt64(total))
      try answer.writeEnd(into: &reply, unknownHours: unknownHours)
    }
  }
}
