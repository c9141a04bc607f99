import Banks
import CBOR
import CitiesProtocol
import FrameService
import Resident

/// `bank.list`: a page of locations in the order of headings.
final class BankListHandler: RequestHandler {
  let method = BankList.method
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: FeedReports

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: FeedReports) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(BankList.self)
    let page = try BankPageRequest(offset: params.offset, limit: params.limit)
    let generation = try banks.generation(for: request, called: params.generation)
    let question = try BankQuestion(params.filter, generation.data.zones)
    let answer = BankAnswer(generation, at: question.moment, feeds)
    let ranks: [Int]
    do throws(BankFilterProblem) { ranks = try answer.index.list(question.filter) } catch { throw WireError(error) }
    try page.write(ranks, answer, into: &reply)
    return .written
  }
}
