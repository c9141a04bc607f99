import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// What the handlers of trade share: the data, its age, and the columns of totals.
final class TradeDesk {
  /// The limit that a conversion along too many rates exceeds, as `data.limit` names it.
  static let workLimit = "conversion-work"
  /// Work of a conversion, in steps times digits, that takes about as long as one step of a slice should.
  private static let workPerStep = 32

  /// Totals of all products, a column for each currency.
  let columns = TradeColumns()
  /// Bytes of the largest reply.
  private let replyBytes: Int
  private let subject: ResidentSubject<ResidentTrade>
  private let feeds: FeedReports

  init(_ subject: ResidentSubject<ResidentTrade>, _ feeds: FeedReports, replyBytes: Int) {
    (self.subject, self.feeds, self.replyBytes) = (subject, feeds, replyBytes)
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

  /// Refuses a reply that has grown too large before all of it is made.
  ///
  /// - Throws: `frame-too-large`.
  func checkSize(_ bytes: Int) throws(WireError) {
    guard bytes > replyBytes else { return }
    throw WireError(
      .frameTooLarge, "the answer has more than \(replyBytes) bytes; ask for less",
      data: ErrorData(limit: LimitName.reply, maximum: UInt64(replyBytes)))
  }

  /// The steps of a slice that a conversion of `work` counts as.
  static func steps(of work: Int) -> Int { 1 + work / workPerStep }
}

extension WireError {
  /// `internal`, for a trade book that turns out to be damaged.
  init(_ error: ResidentError) { self.init(.internal, "the trade book cannot be read: \(error)") }

  /// `too-expensive`, for a conversion that takes more than ``RateTable/maximumWork``.
  init(tooExpensive error: MoneyError) {
    self.init(
      .tooExpensive, "\(error)",
      data: ErrorData(limit: TradeDesk.workLimit, maximum: UInt64(RateTable.maximumWork)))
  }
}

extension RateTable {
  /// The work of a conversion that may be made.
  ///
  /// - Throws: `too-expensive`.
  func allowedWork(from: CurrencyCode, to: CurrencyCode) throws(WireError) -> Int {
    do throws(MoneyError) { return try affordableWork(from: from, to: to) } catch {
      throw WireError(tooExpensive: error)
    }
  }
}

extension CurrencyConverter {
  /// Converts a transaction; `steps` grows by what that took, in steps of a slice.
  ///
  /// - Throws: `too-expensive`.
  mutating func row(_ transaction: Transaction, steps: inout Int) throws(WireError) -> ConvertedTransaction {
    do throws(MoneyError) {
      let work = try checkWork(from: transaction.currency)
      if work > 0 { steps += TradeDesk.steps(of: work) }
    } catch {
      throw WireError(tooExpensive: error)
    }
    return ConvertedTransaction(transaction, &self)
  }
}
