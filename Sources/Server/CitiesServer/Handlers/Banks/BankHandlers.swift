import Banks
import CBOR
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy
import Resident

/// `bank.get`: one location, by id; its only source is the feed named like its bank.
final class BankGetHandler: RequestHandler {
  /// The maximum number of code points of an id in an error message.
  private static let shownID = 80
  private let banks: ServedBanks

  init(_ banks: ServedBanks) { self.banks = banks }

  func answer(_ params: BankGet, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let time = try AskedMoment(params.at, param: "at")
    let generation = try banks.sync.generation(of: banks.subject, for: caller)
    let moment = generation.data.calendar.moment(time)
    let index = generation.data.index
    guard let rank = index.rank(id: params.id) else {
      if let unavailable = banks.feeds.unavailable(ofID: params.id, generation.data) { throw unavailable }
      throw WireError(.notFound, "no location has the id \"\(params.id.excerpt(Self.shownID))\"")
    }
    let answer = BankAnswer(generation, BankQuestion(at: moment), banks.feeds, bank: index.bank(at: rank))
    try reply.writeMap(BankGet.Reply.CodingKeys.self) { (map) throws(WireError) in
      map.write(.asOf, answer.sources.asOf)
      try map.write(.entry) { (reply) throws(WireError) in try answer.writeEntry(rank, into: &reply) }
      try map.write(.sources, encoding: answer.sources)
      map.write(.generation, generation.name)
    }
    return .written
  }
}

/// `bank.list`: a page of locations, ordered by heading.
final class BankListHandler: RequestHandler {
  private let banks: ServedBanks

  init(_ banks: ServedBanks) { self.banks = banks }

  func answer(_ params: BankList, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let page = try Page(
      offset: params.offset, limit: params.limit, default: BankList.defaultLimit, maximum: BankList.maximumLimit)
    let answer = try banks.answer(for: caller, params.filter, called: params.generation)
    return .computed(from: [answer.generation]) { budget in try await Self.list(page, answer, budget) }
  }

  /// Finds the locations for a filter, ordered by heading.
  static func list(
    _ page: Page, _ answer: BankAnswer, _ budget: Budget
  ) async throws -> ResultWriter {
    let selection = try await answer.selection(budget)
    var matches = BankMatches(page)
    matches.unknownHours = try await answer.index.forEachByHeading(selection, budget) { rank, _ in matches.append(rank)
    }
    return matches.writer(answer)
  }
}

/// `bank.search`: a page of the locations whose name and address contain all words, ordered by name.
final class BankSearchHandler: RequestHandler {
  private let banks: ServedBanks

  init(_ banks: ServedBanks) { self.banks = banks }

  func answer(_ params: BankSearch, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let page = try Page(
      offset: params.offset, limit: params.limit, default: BankList.defaultLimit, maximum: BankList.maximumLimit)
    let answer = try banks.answer(for: caller, params.filter, called: params.generation)
    return .computed(from: [answer.generation]) { budget in try await Self.search(params.query, page, answer, budget) }
  }

  /// Parses the words, then searches all locations for them.
  static func search(
    _ query: String, _ page: Page, _ answer: BankAnswer, _ budget: Budget
  ) async throws -> ResultWriter {
    let words: KeywordQuery
    do {
      words = try await KeywordQuery(query, longest: answer.index.longestText, budget)
    } catch let problem as KeywordProblem {
      throw WireError.invalidParam("query", "\(problem)")
    }
    var matches = BankMatches(page)
    matches.unknownHours = try await answer.index.forEachByTitle(words, answer.selection(budget), budget) { rank in
      matches.append(rank)
    }
    return matches.writer(answer)
  }
}

/// `bank.near`: the locations nearest to a place, which may be a city.
final class BankNearHandler: RequestHandler {
  private let banks: ServedBanks
  private let cities: ResidentSubject<ResidentCities>
  private let finder = CityFinder()

  init(_ banks: ServedBanks, _ cities: ResidentSubject<ResidentCities>) { (self.banks, self.cities) = (banks, cities) }

  func answer(_ params: BankNear, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let limit = try limitInRange(params.limit, BankNear.defaultLimit, maximum: BankNear.maximumLimit)
    let radius = params.radius ?? .infinity
    guard radius >= 0 else { throw .invalidParam("radius", "\(radius) is less than 0") }
    let generation = try banks.sync.generation(of: banks.subject, for: caller)
    let question = try BankQuestion(params.filter, generation.data.calendar)
    let makeAnswer = { [banks] (place: FoundPlace) in
      BankAnswer(generation, question, banks.feeds, within: (place.point, radius))
    }
    // Only a place that names a city needs the cities.
    if let position = params.place.at, params.place == Place(at: position) {
      let place = FoundPlace(try finder.point(position, "place"))
      return .computed(from: [generation]) { budget in
        try await Self.nearest(to: place, limit: Int(limit), radius: radius, makeAnswer(place), nil, budget)
      }
    }
    let cities = try cities.generation(for: caller, named: nil)
    return .computed(from: [generation, cities]) { [finder] budget in
      let place = try await finder.find(params.place, "place", cities.data.index, budget)
      return try await Self.nearest(to: place, limit: Int(limit), radius: radius, makeAnswer(place), cities, budget)
    }
  }

  /// Finds the nearest locations for a filter; `cities` are those in which the place was looked up.
  static func nearest(
    to place: FoundPlace, limit: Int, radius: Double, _ answer: BankAnswer,
    _ cities: ServedGeneration<ResidentCities>?, _ budget: Budget
  ) async throws -> ResultWriter {
    let found = try await answer.index.nearest(
      to: place.point, answer.selection(budget), limit: limit, radius: radius, budget)
    return { (reply: inout CBORWriter) throws(WireError) in
      let start = reply.count
      try reply.writeMap(BankNear.Reply.CodingKeys.self) { (map) throws(WireError) in
        try map.write(.rows, arrayOf: 0..<found.neighbours.count) { (position, reply) throws(WireError) in
          let (rank, metres) = found.neighbours[position]
          try answer.writeEntry(rank, metres: metres, into: &reply)
          try answer.generation.checkSize(reply.count - start)
        }
        map.write(.asOf, answer.sources.asOf)
        try map.write(.origin) { (reply) throws(WireError) in try reply.write(found.origin) }
        try map.write(.sources, encoding: answer.sources)
        try cities?.write(place.resolved, as: .resolved, into: &map)
        map.write(.generation, answer.generation.name)
        map.write(.unknownHours, found.unknownHours)
      }
    }
  }
}
