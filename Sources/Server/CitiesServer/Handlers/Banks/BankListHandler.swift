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
    do throws(BankFilterProblem) {
      return .sliced(BankListWork(try answer.index.headingScan(question.filter), page, answer))
    } catch {
      throw WireError(error)
    }
  }
}

/// Finds the locations of a filter in the order of headings.
final class BankListWork: SlicedWork {
  private let answer: BankAnswer
  private var scan: HeadingScan
  private var page: BankPage

  init(_ scan: HeadingScan, _ request: BankPageRequest, _ answer: BankAnswer) {
    (self.scan, page, self.answer) = (scan, BankPage(request), answer)
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
