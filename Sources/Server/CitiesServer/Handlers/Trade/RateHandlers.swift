import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// `rate.list`: the given rates, or every conversion to a base.
final class RateListHandler: RequestHandler {
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ params: RateList, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let generation = try desk.generation(for: caller, named: nil)
    var base: CurrencyCode?
    if let asked = params.base { base = try generation.data.currency(asked, "base") }
    return .sliced(RateListWork(base, generation, desk))
  }
}

/// Writes a row for each rate, or for the way from each currency to a base.
final class RateListWork: SlicedWork {
  private let base: CurrencyCode?
  private let generation: ServedGeneration<ResidentTrade>
  private let sources: Provenance
  private var rows = RowBuffer()
  private var unreachable: [CurrencyCode] = []
  private var next = 0

  init(_ base: CurrencyCode?, _ generation: ServedGeneration<ResidentTrade>, _ desk: TradeDesk) {
    (self.base, self.generation) = (base, generation)
    sources = desk.sources(of: generation.data)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    let trade = generation.data
    let end = base == nil ? trade.rates.rates.count : trade.currencies.count
    while next < end {
      var steps = 1
      if let base {
        try addWay(from: trade.currencies[next], to: base, trade.rates, steps: &steps)
      } else {
        try rows.append(of: generation) { $0.writeGiven(trade.rates.rates[next]) }
      }
      next += 1
      if slice.isOver(after: steps) { return next == end }
    }
    return true
  }

  private func addWay(
    from currency: CurrencyCode, to base: CurrencyCode, _ rates: RateTable, steps: inout Int
  ) throws(WireError) {
    guard currency != base else { return }
    steps = TradeDesk.steps(of: try rates.allowedWork(from: currency, to: base))
    // Rates that multiply to a number beyond every scale lead nowhere.
    guard let path = try? rates.path(from: currency, to: base) else { return unreachable.append(currency) }
    try rows.append(of: generation) { $0.writePath(path) }
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    reply.writeMap(count: sources.asOf == nil ? 4 : 5)
    reply.writeRows("rows", rows)
    try reply.writeAsOf(of: sources)
    try reply.writeSources(sources)
    reply.writeGeneration(generation.digits)
    reply.writeKey("unreachable")
    reply.writeArray(count: unreachable.count)
    for currency in unreachable { reply.writeCurrency(currency) }
  }
}

/// `rate.convert`: an amount in another currency.
final class RateConvertHandler: RequestHandler {
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ params: RateConvert, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let generation = try desk.generation(for: caller, named: nil)
    let trade = generation.data
    let from = try trade.currency(params.from, "from")
    let work = RateConvertWork(
      params.amount, from: from, to: try trade.currency(params.to, "to"), Rounding(params.rounding), generation, desk)
    return .sliced(work)
  }
}

/// Finds the path, then converts the amount along it: two steps, each bounded by ``RateTable/maximumWork``.
final class RateConvertWork: SlicedWork {
  private let asked: Decimal38
  private let from: CurrencyCode
  private let to: CurrencyCode
  private let rounding: Rounding
  private let generation: ServedGeneration<ResidentTrade>
  private let sources: Provenance
  private var path: ConversionPath?
  private var converted: (amount: ExactDecimal, result: ExactDecimal, trace: [ExactDecimal])?

  init(
    _ amount: Decimal38, from: CurrencyCode, to: CurrencyCode, _ rounding: Rounding,
    _ generation: ServedGeneration<ResidentTrade>, _ desk: TradeDesk
  ) {
    (asked, self.from, self.to, self.rounding, self.generation) = (amount, from, to, rounding, generation)
    sources = desk.sources(of: generation.data)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    guard let path else {
      let steps = TradeDesk.steps(of: try generation.data.rates.allowedWork(from: from, to: to))
      path = try find(generation.data.rates)
      return try slice.isOver(after: steps) ? false : advance(&slice)
    }
    do throws(MoneyError) {
      let amount = try ExactDecimal(mantissa: asked.mantissa, scale: -asked.exponent)
      let result = try path.convert(amount, rounding: rounding)
      converted = (amount, result, try path.trace(amount, rounding: rounding).map(\.value))
    } catch {
      throw .invalidParam("amount", "\(asked) \(from) cannot be converted to \(to): \(error)")
    }
    return true
  }

  /// - Throws: `no-conversion`, also if the rates multiply to a number beyond every scale.
  private func find(_ rates: RateTable) throws(WireError) -> ConversionPath {
    let found: ConversionPath?
    do {
      found = try rates.path(from: from, to: to)
    } catch {
      throw WireError(.noConversion, "the rates from \(from) to \(to) cannot be multiplied: \(error)")
    }
    guard let found else { throw WireError(.noConversion, "no rates lead from \(from) to \(to)") }
    return found
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    guard let path, let converted else { throw WireError(.internal, "the conversion is not finished") }
    reply.writeMap(count: sources.asOf == nil ? 7 : 8)
    reply.writeKey("path")
    reply.writePath(path)
    try reply.writeAsOf(of: sources)
    reply.writeKey("trace")
    reply.writeDecimals(converted.trace)
    reply.writePair("amount", converted.amount)
    reply.writePair("result", converted.result)
    try reply.writeSources(sources)
    reply.writePair("rounding", rounding.rawValue)
    reply.writeGeneration(generation.digits)
  }
}
