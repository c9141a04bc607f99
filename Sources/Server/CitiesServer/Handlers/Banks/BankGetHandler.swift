import Banks
import CBOR
import CitiesProtocol
import FrameService
import Resident

/// `bank.get`: one location, by id; its only source is the feed that its bank is called like.
final class BankGetHandler: RequestHandler {
  let method = BankGet.method
  /// Code points of an id in an error's message.
  private static let shownID = 80
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: FeedReports

  init(_ banks: ResidentSubject<ResidentBanks>, _ feeds: FeedReports) { (self.banks, self.feeds) = (banks, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(BankGet.self)
    let moment = try BankQuestion.moment(params.at, "at")
    let generation = try banks.generation(for: request, named: nil)
    let index = generation.data.index
    guard let rank = index.rank(id: params.id) else {
      throw WireError(.notFound, "no location has the id \"\(params.id.excerpt(Self.shownID))\"")
    }
    let answer = BankAnswer(generation, at: moment, feeds, feed: FeedName(rawValue: index.bank(at: rank)))
    reply.writeMap(count: answer.pairs(besides: 1))
    try answer.writeAsOf(into: &reply)
    reply.writeKey("entry")
    try answer.writeEntry(rank, into: &reply)
    try answer.writeEnd(into: &reply)
    return .written
  }
}
