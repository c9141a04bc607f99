import Banks
import CBOR
import CitiesProtocol
import FrameService
import Resident

/// `bank.search`: a page of the locations whose name and address hold all words, in the order of names.
final class BankSearchHandler: RequestHandler {
  let method = BankSearch.method
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: FeedReports

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: FeedReports) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(BankSearch.self)
    let page = try BankPageRequest(offset: params.offset, limit: params.limit)
    let generation = try banks.generation(for: request, called: params.generation)
    let question = try BankQuestion(params.filter, generation.data.zones)
    return .sliced(BankSearchWork(params.query, question, page, BankAnswer(generation, at: question.moment, feeds)))
  }
}

/// Reads the words, then looks for them in all locations.
final class BankSearchWork: SlicedWork {
  private let question: BankQuestion
  private let answer: BankAnswer
  private var words: KeywordReader
  private var scan: KeywordScan?
  private var page: BankPage

  init(_ query: String, _ question: BankQuestion, _ request: BankPageRequest, _ answer: BankAnswer) {
    (self.question, self.answer, page) = (question, answer, BankPage(request))
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
    do throws(BankFilterProblem) {
      return try answer.index.keywordScan(words.query, question.filter)
    } catch {
      throw WireError(error)
    }
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    try page.write(answer, unknownHours: scan?.unknownHours, into: &reply)
  }
}
