import Banks
import Base
import CBOR
import CitiesProtocol
import CivilTime
import FrameService
import Geodesy
import Resident

/// `bank.get`: one location, by id; its only source is the feed with the name of its bank.
final class BankGetHandler: RequestHandler {
  /// Code points of an id in an error's message.
  private static let shownID = 80
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: BankFeeds

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: BankFeeds) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ params: BankGet, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let time = try AskedMoment(params.at, param: "at")
    let generation = try banks.generation(for: caller, named: nil)
    let moment = generation.data.calendar.moment(time)
    let index = generation.data.index
    guard let rank = index.rank(id: params.id) else {
      if let unavailable = feeds.unavailable(ofID: params.id, generation.data) { throw unavailable }
      throw WireError(.notFound, "no location has the id \"\(params.id.excerpt(Self.shownID))\"")
    }
    let answer = BankAnswer(generation, BankQuestion(at: moment), feeds, bank: index.bank(at: rank))
    reply.writeMap(count: answer.pairs(besides: 1))
    try reply.writeAsOf(of: answer.sources)
    reply.writeKey("entry")
    try answer.writeEntry(rank, into: &reply)
    try answer.writeEnd(into: &reply)
    return .written
  }
}

/// `bank.list`: a page of locations in the order of headings.
final class BankListHandler: RequestHandler {
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: BankFeeds

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: BankFeeds) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ params: BankList, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let page = try Page(
      offset: params.offset, limit: params.limit, default: BankList.defaultLimit, maximum: BankList.maximumLimit)
    let generation = try banks.generation(for: caller, called: params.generation)
    let question = try BankQuestion(params.filter, generation.data.calendar)
    let answer = BankAnswer(generation, question, feeds)
    let scan = try answer.select { (index, filter) throws(BankFilterProblem) in try index.headingScan(filter) }
    return .sliced(BankListWork(scan, page, answer))
  }
}

/// Finds the locations of a filter in the order of headings.
final class BankListWork: SlicedWork {
  private let answer: BankAnswer
  private var scan: HeadingScan
  private var page: BankMatches

  init(_ scan: HeadingScan, _ page: Page, _ answer: BankAnswer) {
    (self.scan, self.page, self.answer) = (scan, BankMatches(page), answer)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while scan.step({ rank, _ in page.append(rank) }) {
      if slice.isOver() { return false }
    }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    try page.write(answer, unknownHours: scan.unknownHours, into: &reply)
  }
}

/// `bank.search`: a page of the locations whose name and address hold all words, in the order of names.
final class BankSearchHandler: RequestHandler {
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: BankFeeds

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: BankFeeds) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ params: BankSearch, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let page = try Page(
      offset: params.offset, limit: params.limit, default: BankList.defaultLimit, maximum: BankList.maximumLimit)
    let generation = try banks.generation(for: caller, called: params.generation)
    let question = try BankQuestion(params.filter, generation.data.calendar)
    return .sliced(BankSearchWork(params.query, page, BankAnswer(generation, question, feeds)))
  }
}

/// Reads the words, then looks for them in all locations.
final class BankSearchWork: SlicedWork {
  private let answer: BankAnswer
  private var words: KeywordReader
  private var scan: KeywordScan?
  private var page: BankMatches

  init(_ query: String, _ page: Page, _ answer: BankAnswer) {
    (self.answer, self.page) = (answer, BankMatches(page))
    words = KeywordReader(query, longest: answer.index.longestText)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while scan == nil {
      if try !readWord() { scan = try start() }
      if slice.isOver() { return false }
    }
    while scan?.step({ page.append($0) }) ?? false {
      if slice.isOver() { return false }
    }
    return true
  }

  private func readWord() throws(WireError) -> Bool {
    do throws(KeywordProblem) { return try words.step() } catch { throw .invalidParam("query", "\(error)") }
  }

  private func start() throws(WireError) -> KeywordScan {
    let query = words.query
    return try answer.select { (index, filter) throws(BankFilterProblem) in try index.keywordScan(query, filter) }
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    try page.write(answer, unknownHours: scan?.unknownHours, into: &reply)
  }
}

/// `bank.near`: the locations nearest to a place, which may be a city.
final class BankNearHandler: RequestHandler {
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: BankFeeds
  private let cities: ResidentSubject<ResidentCities>
  private let finder = CityFinder()

  init(
    _ banks: ResidentSubject<ResidentBanks>, _ feeds: BankFeeds, _ cities: ResidentSubject<ResidentCities>
  ) {
    (self.banks, self.feeds, self.cities) = (banks, feeds, cities)
  }

  func answer(_ params: BankNear, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let limit = try limitInRange(params.limit, BankNear.defaultLimit, maximum: BankNear.maximumLimit)
    let radius = params.radius ?? .infinity
    guard radius >= 0 else { throw .invalidParam("radius", "\(radius) is less than 0") }
    let generation = try banks.generation(for: caller, named: nil)
    let question = try BankQuestion(params.filter, generation.data.calendar)
    let makeWork = { [feeds] (place: FoundPlace, cities: ServedGeneration<ResidentCities>?) throws(WireError) in
      let answer = BankAnswer(generation, question, feeds, within: (place.point, radius))
      let search = try answer.select { (index, filter) throws(BankFilterProblem) in
        try index.nearSearch(place.point, filter)
      }
      let resolved = cities.map { (hit: place.resolved, cities: $0) }
      return BankNearWork(search, limit: Int(limit), radius: radius, answer, resolved: resolved)
    }
    // Only a place given by a city needs cities.
    if let position = params.place.at, params.place == Place(at: position) {
      return .sliced(try makeWork(FoundPlace(try finder.point(position, "place")), nil))
    }
    let cities = try cities.generation(for: caller, named: nil)
    let search = try finder.search(params.place, "place", cities.data.index)
    if let place = search.place { return .sliced(try makeWork(place, cities)) }
    return .sliced(PlacedWork(search, cities) { (place) throws(WireError) in try makeWork(place, cities) })
  }
}

/// Finds the nearest locations of a filter: where few are selected, all have to be looked at.
final class BankNearWork: SlicedWork {
  /// Leaves of the tree looked into in one step of a slice.
  private static let leavesPerStep = 4

  private let answer: BankAnswer
  private var search: BankNearSearch
  private let resolved: (hit: CityHit?, cities: ServedGeneration<ResidentCities>)?
  private var neighbours = Neighbours()

  /// Continues `search`; `resolved` is what the query of the place was taken for, and where it was looked for.
  init(
    _ search: BankNearSearch, limit: Int, radius: Double, _ answer: BankAnswer,
    resolved: (hit: CityHit?, cities: ServedGeneration<ResidentCities>)? = nil
  ) {
    (self.search, self.resolved, self.answer) = (search, resolved, answer)
    self.search.begin(limit: limit, radius: radius, into: &neighbours)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while !search.advance(leaves: Self.leavesPerStep, into: &neighbours) {
      if slice.isOver() { return false }
    }
    return true
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    let others = resolved?.hit == nil ? 2 : 3
    reply.writeMap(count: answer.pairs(besides: others, unknownHours: search.unknownHours))
    reply.writeKey("rows")
    reply.writeArray(count: neighbours.count)
    let start = reply.count
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      try answer.writeEntry(rank, metres: metres, into: &reply)
      try answer.generation.checkSize(reply.count - start)
    }
    try reply.writeAsOf(of: answer.sources)
    reply.writeKey("origin")
    try reply.write(search.origin)
    try reply.writeSources(answer.sources)
    if let (hit, cities) = resolved {
      try cities.requireInService()
      try cities.write(hit, into: &reply)
    }
    answer.writeGeneration(into: &reply, unknownHours: search.unknownHours)
  }
}
