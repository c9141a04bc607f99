import CBOR
import CitiesProtocol
import Coroutines
import FrameService
import Money
import Resident

/// `rate.list`: the given rates, or every conversion to a base.
final class RateListHandler: RequestHandler {
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ params: RateList, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let generation = try desk.generation(for: caller)
    var base: CurrencyCode?
    if let asked = params.base { base = try generation.data.currency(asked, "base") }
    let sources = desk.sources(of: generation.data)
    return .computed(from: [generation]) { [base] budget in try await Self.list(to: base, generation, sources, budget) }
  }

  /// Writes a row for each rate, or for the path from each currency to a base.
  static func list(
    to base: CurrencyCode?, _ generation: ServedGeneration<ResidentTrade>, _ sources: Provenance, _ budget: Budget
  ) async throws -> ResultWriter {
    let found = try await RateRows(to: base, generation, budget)
    let leftOut = generation.data.leftOutRateCount
    return mapWriter(RateList.Reply.CodingKeys.self) { (map) throws(WireError) in
      found.rows.write(.rows, into: &map)
      map.write(.asOf, sources.asOf)
      try map.write(.sources, encoding: sources)
      map.write(.leftOut, leftOut == 0 ? nil : leftOut)
      map.write(.generation, generation.name)
      map.write(.unreachable, arrayOf: found.unreachable) { $0.write(into: &$1) }
    }
  }
}

/// A row for each rate, or for the path from each currency to a base.
private struct RateRows: ~Copyable {
  private(set) var rows = RowBuffer()
  private(set) var unreachable: [CurrencyCode] = []
  private let generation: ServedGeneration<ResidentTrade>

  init(to base: CurrencyCode?, _ generation: ServedGeneration<ResidentTrade>, _ budget: Budget) async throws {
    self.generation = generation
    let trade = generation.data
    guard let base else {
      for rate in trade.rates.rates {
        try rows.append(of: generation) { $0.writeGiven(rate) }
        try await budget.check(64)
      }
      return
    }
    for currency in trade.currencies {
      var steps = 64
      try addWay(from: currency, to: base, trade, steps: &steps)
      try await budget.check(steps)
    }
  }

  private mutating func addWay(
    from currency: CurrencyCode, to base: CurrencyCode, _ trade: ResidentTrade, steps: inout Int
  ) throws(WireError) {
    guard currency != base else { return }
    let (rates, leftOut) = (trade.rates, trade.leftOutRates)
    steps = TradeDesk.steps(of: try rates.allowedWork(from: currency, to: base) + leftOut.work)
    // Rates whose product exceeds every scale count as unreachable.
    guard let path = try? rates.path(from: currency, to: base) else { return unreachable.append(currency) }
    try rows.append(of: generation) { $0.writePath(path, leftOut: leftOut.used(from: currency, to: base)) }
  }

}

/// `rate.convert`: an amount in another currency.
final class RateConvertHandler: RequestHandler {
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ params: RateConvert, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let generation = try desk.generation(for: caller)
    let trade = generation.data
    let from = try trade.currency(params.from, "from")
    let (to, rounding) = (try trade.currency(params.to, "to"), Rounding(params.rounding))
    let sources = desk.sources(of: trade)
    return .computed(from: [generation]) { budget in
      try await Self.convert(params.amount, from: from, to: to, rounding, generation, sources, budget)
    }
  }

  /// Finds the path, then converts the amount along it: two steps, each bounded by ``RateTable/maximumWork``.
  static func convert(
    _ asked: Decimal38, from: CurrencyCode, to: CurrencyCode, _ rounding: Rounding,
    _ generation: ServedGeneration<ResidentTrade>, _ sources: Provenance, _ budget: Budget
  ) async throws -> ResultWriter {
    let rates = generation.data.rates
    let steps = TradeDesk.steps(of: try rates.allowedWork(from: from, to: to))
    let leftOut = generation.data.leftOutRates.used(from: from, to: to)
    let path = try path(from: from, to: to, rates, leftOut)
    try await budget.check(steps)
    let (amount, result, trace) = try converted(asked, along: path, from: from, to: to, rounding)
    return mapWriter(RateConvert.Reply.CodingKeys.self) { (map) throws(WireError) in
      map.write(.path) { $0.writePath(path, leftOut: leftOut) }
      map.write(.asOf, sources.asOf)
      map.write(.trace, arrayOf: trace) { $0.write(into: &$1) }
      map.write(.amount, amount)
      map.write(.result, result)
      try map.write(.sources, encoding: sources)
      map.write(.rounding, rounding.rawValue)
      map.write(.generation, generation.name)
    }
  }

  /// - Throws: `invalid-params` for an amount with too many digits at any step.
  private static func converted(
    _ asked: Decimal38, along path: ConversionPath, from: CurrencyCode, to: CurrencyCode, _ rounding: Rounding
  ) throws(WireError) -> (amount: ExactDecimal, result: ExactDecimal, trace: [ExactDecimal]) {
    do throws(MoneyError) {
      let amount = try ExactDecimal(mantissa: asked.mantissa, scale: -asked.exponent)
      let result = try path.convert(amount, rounding: rounding)
      return (amount, result, try path.trace(amount, rounding: rounding).map(\.value))
    } catch {
      throw .invalidParam("amount", "\(asked) \(from) cannot be converted to \(to): \(error)")
    }
  }

  /// - Throws: `no-conversion`, also if the product of the rates exceeds every scale.
  private static func path(
    from: CurrencyCode, to: CurrencyCode, _ rates: RateTable, _ leftOut: [Rate]
  ) throws(WireError) -> ConversionPath {
    let found: ConversionPath?
    do {
      found = try rates.path(from: from, to: to)
    } catch {
      throw WireError(.noConversion, "the rates from \(from) to \(to) cannot be multiplied: \(error)")
    }
    guard let found else {
      let unread = leftOut.map { "; the rate from \($0.from) to \($0.to) could not be read" }.joined()
      throw WireError(.noConversion, "no rates lead from \(from) to \(to)\(unread)")
    }
    return found
  }
}
