import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// `rate.list`: the given rates, or every conversion to a base.
final class RateListHandler: RequestHandler {
  let method = RateList.method
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(RateList.self)
    let generation = try desk.generation(for: request, named: nil)
    let (trade, name) = (generation.data, generation.name)
    let sources = desk.sources(of: trade)
    guard let asked = params.base else {
      return try desk.answer(request, into: &reply, cost: trade.rates.rates.count) {
        RateList.Reply(
          rows: trade.rates.rates.map { ConversionRow($0) }, unreachable: [], sources: sources, generation: name)
      }
    }
    let base = try trade.currency(asked, "base")
    return try desk.answer(request, into: &reply, cost: trade.currencies.count * trade.pathCost) {
      let (rows, unreachable) = Self.conversions(to: base, trade)
      return RateList.Reply(rows: rows, unreachable: unreachable, sources: sources, generation: name)
    }
  }

  /// The way from each other currency to `base`, and the currencies that have none.
  private static func conversions(
    to base: CurrencyCode, _ trade: ResidentTrade
  ) -> (rows: [ConversionRow], unreachable: [String]) {
    let converter = CurrencyConverter(trade.rates, from: trade.currencies, to: base)
    var (rows, unreachable): ([ConversionRow], [String]) = ([], [])
    for currency in trade.currencies where currency != base {
      if let path = converter.path(from: currency) {
        rows.append(ConversionRow(path))
      } else {
        unreachable.append(currency.description)
      }
    }
    return (rows, unreachable)
  }
}

extension ConversionRow {
  /// A given rate, as it stands.
  fileprivate init(_ rate: Rate) {
    let (from, to, value) = (rate.from.description, rate.to.description, Decimal38(rate.value))
    self.init(
      from: from, to: to, rate: value,
      steps: [Step(from: from, to: to, rate: value, given: value, reversed: false, rounded: false)], derived: false,
      rounded: false)
  }
}
