import Banks
import CBOR
import CitiesProtocol
import FrameService
import Resident

/// `bank.regions`: the countries with their regions, and how many locations stand under each.
final class BankRegionsHandler: RequestHandler {
  let method = BankRegions.method
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: FeedReports

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: FeedReports) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(BankRegions.self)
    let generation = try banks.generation(for: request, named: nil)
    let question = try BankQuestion(params.filter, generation.data.zones)
    let answer = BankAnswer(generation, at: question.moment, feeds)
    let headings: [CountryHeading]
    do throws(BankFilterProblem) {
      headings = try answer.index.regions(question.filter)
    } catch {
      throw WireError(error)
    }
    try reply.write(answer.regions(headings))
    return .written
  }
}
