import Banks
import CBOR
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy
import Resident

/// The locations from which handlers answer.
struct ServedBanks {
  let subject: ResidentSubject<ResidentBanks>
  let feeds: BankFeeds
  let sync: SyncClient

  /// The basis of the answer with the locations that meet `conditions`, of the generation called `name` or else of the
  /// current one.
  ///
  /// - Throws: `unavailable` without data, `stale-generation` if the named one is gone, `invalid-params` for unknown
  ///   kinds and moments.
  func answer(
    for caller: Caller, _ conditions: BankConditions?, called name: String? = nil
  ) throws(WireError) -> BankAnswer {
    let generation = try sync.generation(of: subject, for: caller, called: name)
    return BankAnswer(generation, try BankQuestion(conditions, generation.data.calendar), feeds)
  }
}

/// The common part of replies about locations: rows, which the file stores in wire format, and their sources.
struct BankAnswer {
  let generation: ServedGeneration<ResidentBanks>
  private let question: BankQuestion
  private let feeds: BankFeeds
  /// The sources of the locations.
  let sources: Provenance

  /// Answers `question` from `generation`, with the locations in `circle` only, if given.
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

  /// The selection for the filter of the question.
  ///
  /// - Throws: `unavailable` if an unknown name may be in data that never arrived, `invalid-params` for any other
  ///   unknown name; ``Stopped``.
  func selection(_ budget: Budget) async throws -> BankIndex.Selection {
    let (bank, open, reach) = (question.filter.bank, question.filter.open, BankReach(question.filter))
    // A country may be known although its data never arrived: then the bank must still be checked.
    for filter in [question.filter, BankFilter(categories: [], bank: bank, open: open)] {
      do { return try await index.selection(filter, budget) } catch let error as BankFilterProblem {
        if let unavailable = feeds.unavailable(sources.missingFeeds) { throw unavailable }
        if let problem = feeds.problem(error, among: sources, reach) { throw WireError(problem) }
      }
    }
    // The names are known, but no location has all of them: the selection is empty.
    return try await index.selection(BankFilter(categories: [], open: open), budget)
  }

  var index: BankIndex { generation.data.index }

  /// Writes a row with the fields that depend on the question, and its `distance` if given.
  ///
  /// - Throws: `unavailable` if an unverified row is malformed; the file is then out of service.
  func writeEntry(_ rank: Int, metres: UInt32? = nil, into reply: inout CBORWriter) throws(WireError) {
    let row = index.row(at: rank)
    if !generation.isProved, let problem = ResidentBanks.problem(ofRow: row) {
      throw generation.damaged("section ROWS, rank \(rank): \(problem)")
    }
    reply.writeMap(BankEntry.CodingKeys.self) { entry in
      entry.write(.open, index.openState(at: rank, question.moment).rawValue)
      entry.write(.holiday, index.holiday(at: rank, question.moment))
      entry.write(.distance, metres)
      entry.write(.location) { $0.writeEncoded(row) }
    }
  }
}

/// The matches of a question as they are found: those on the page, and the total.
struct BankMatches {
  /// The ranks on the page.
  private(set) var ranks: [Int] = []
  private(set) var total = 0
  /// The number of matches that a filter by hours excludes because their hours are unknown; `nil` without such a
  /// filter.
  var unknownHours: Int?
  private let page: Page

  init(_ page: Page) { self.page = page }

  /// Adds the next match.
  mutating func append(_ rank: Int) {
    if page.contains(total) { ranks.append(rank) }
    total += 1
  }

  /// The reply with the page.
  func writer(_ answer: BankAnswer) -> ResultWriter {
    return { (reply: inout CBORWriter) throws(WireError) in
      let start = reply.count
      try reply.writeMap(BankPage.CodingKeys.self) { (page) throws(WireError) in
        try page.write(.rows, arrayOf: ranks) { (rank, reply) throws(WireError) in
          try answer.writeEntry(rank, into: &reply)
          try answer.generation.checkSize(reply.count - start)
        }
        page.write(.asOf, answer.sources.asOf)
        page.write(.total, total)
        try page.write(.sources, encoding: answer.sources)
        page.write(.generation, answer.generation.name)
        page.write(.unknownHours, unknownHours)
      }
    }
  }
}
