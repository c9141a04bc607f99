import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// What the handlers of trade share: the data, its age, and a place for work that takes too long for the loop.
final class TradeDesk {
  /// Rows, or steps on the way to them, that are answered on the loop's thread: less than a millisecond of work.
  static let quickCost = 500

  /// Totals of all products, a column a currency.
  let columns = TradeColumns()
  private let subject: ResidentSubject<ResidentTrade>
  private let feeds: FeedReports
  private let queue: WorkQueue

  init(_ subject: ResidentSubject<ResidentTrade>, _ feeds: FeedReports, _ loop: EventLoop) {
    self.subject = subject
    self.feeds = feeds
    queue = WorkQueue(loop)
  }

  /// The generation that answers `request`: the one called `name`, else the current one.
  ///
  /// - Throws: `unavailable` without data, `stale-generation` if the named one is gone.
  func generation(
    for request: Request, named name: String?
  ) throws(WireError) -> ServedGeneration<ResidentTrade> {
    guard let name else { return try subject.generation(for: request, named: nil) }
    let found = Array(name.utf8).withUnsafeBytes { name in
      Result { () throws(WireError) in try subject.generation(for: request, named: name) }
    }
    return try found.get()
  }

  /// Where the data of `trade` comes from: both feeds, also one that never came.
  func sources(of trade: ResidentTrade) -> Provenance {
    feeds.provenance(of: ResidentTrade.feeds, held: Set(ResidentTrade.feeds), sample: trade.summary.sample)
  }

  /// Answers with what `work` makes: at once if its `cost` is small, else from another thread while the loop goes on.
  ///
  /// The cost counts rows and steps. Long work is done one by one, in the order of its requests.
  func answer<Reply: Encodable & SendableMetatype>(
    _ request: Request, into reply: inout CBORWriter, cost: Int,
    _ work: @escaping @Sendable () throws(WireError) -> Reply
  ) throws(WireError) -> Answer {
    guard cost > Self.quickCost else {
      try reply.write(work())
      return .written
    }
    try queue.add(request.later()) { () throws(WireError) in
      // Encoded there as well: a thousand rows in many currencies are megabytes.
      var encoded = CBORWriter()
      try encoded.write(work())
      return encoded.bytes
    }
    return .later
  }
}

extension WireError {
  /// `internal`, for a trade book that turns out to be damaged.
  init(_ error: ResidentError) { self.init(.internal, "the trade book cannot be read: \(error)") }
}
