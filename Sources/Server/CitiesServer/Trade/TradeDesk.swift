import CitiesProtocol
import FrameService
import Money
import Resident

/// The state shared by the handlers of trade: the data, its age, and the columns of totals.
final class TradeDesk {
  /// The value of `data.limit` if a conversion along too many rates is refused.
  static let workLimit = "conversion-work"

  /// Totals of all products, one column per currency.
  let columns = TradeColumns()
  private let subject: ResidentSubject<ResidentTrade>
  private let feeds: FeedReports
  private let sync: SyncClient

  init(_ subject: ResidentSubject<ResidentTrade>, _ feeds: FeedReports, _ sync: SyncClient) {
    (self.subject, self.feeds, self.sync) = (subject, feeds, sync)
  }

  /// The generation for a request: the one called `name`, or else the current one.
  ///
  /// - Throws: `unavailable` without data, `stale-generation` if the named one is gone.
  func generation(
    for caller: Caller, called name: String? = nil
  ) throws(WireError) -> ServedGeneration<ResidentTrade> {
    try sync.generation(of: subject, for: caller, called: name)
  }

  /// The sources of `trade`: rates and transactions, on which every total depends, even if their data never arrived; of
  /// other feeds, those that it holds or that have a source.
  func sources(of trade: ResidentTrade) -> Provenance {
    let held = Set(trade.summary.feeds.map(\.feed) + [.rates, .transactions])
    return feeds.provenance(of: ResidentTrade.feeds, held: held, sample: trade.summary.sample)
  }

  /// The cost in steps of a budget of a conversion whose `work` is measured in steps times digits.
  static func steps(of work: Int) -> Int { 64 + 2 * work }
}

extension WireError {
  /// `internal`, for a corrupt trade book.
  init(_ error: ResidentError) { self.init(.internal, "the trade book cannot be read: \(error)") }

  /// `too-expensive`, for a conversion that exceeds ``RateTable/maximumWork``.
  init(tooExpensive error: MoneyError) {
    self.init(
      .tooExpensive, "\(error)",
      data: ErrorData(limit: TradeDesk.workLimit, maximum: UInt64(RateTable.maximumWork)))
  }
}

extension RateTable {
  /// The work of a conversion, if it is within the limit.
  ///
  /// - Throws: `too-expensive`.
  func allowedWork(from: CurrencyCode, to: CurrencyCode) throws(WireError) -> Int {
    do throws(MoneyError) { return try affordableWork(from: from, to: to) } catch {
      throw WireError(tooExpensive: error)
    }
  }
}

extension CurrencyConverter {
  /// Converts a transaction, and adds the cost in steps of a budget to `steps`.
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

extension ResidentTrade {
  /// The maximum number of currencies in an error message.
  private static var shownCurrencies: Int { 32 }

  /// The currency for a parameter: one in the book, or the euro, which is always allowed.
  ///
  /// - Throws: `invalid-params` for `param`, with the known currencies.
  func currency(_ text: String, _ param: String) throws(WireError) -> CurrencyCode {
    if let code = try? CurrencyCode(text), code == .euro || currencies.contains(code) { return code }
    let known = Set(currencies + [.euro]).sorted()
    let names = known.map(\.description)
    let shown = names.prefix(Self.shownCurrencies).joined(separator: ", ")
    let more = known.count > Self.shownCurrencies ? " and \(known.count - Self.shownCurrencies) more" : ""
    let problem = "no currency \"\(text.excerpt(32))\"; there are \(shown)\(more)"
    throw .unknownName(param, text, problem, of: names)
  }

  /// The code of the product at `index`.
  ///
  /// - Throws: `internal` for a corrupt book.
  func code(ofProductAt index: Int) throws(WireError) -> ProductCode {
    do throws(ResidentError) { return try product(at: index) } catch { throw WireError(error) }
  }

  /// The position of the transaction that the source lists at `entry` of the product at `index`.
  ///
  /// - Throws: `internal` for a corrupt book.
  func position(inSource entry: Int, ofProductAt index: Int) throws(WireError) -> Int {
    do throws(ResidentError) {
      return try sourcePosition(of: entry, ofProductAt: index)
    } catch {
      throw WireError(error)
    }
  }

  /// The transaction at a position of `product`.
  ///
  /// - Throws: `internal` for a corrupt book.
  func sale(at position: Int, of product: ProductCode) throws(WireError) -> Transaction {
    do throws(ResidentError) { return try transaction(at: position, of: product) } catch { throw WireError(error) }
  }
}

extension Rounding {
  /// Converts the word in a request; `once` by default.
  init(_ mode: RoundingMode?) {
    switch mode {
    case .once, nil: self = .once
    case .step: self = .step
    }
  }
}
