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
    var base: CurrencyCode?
    if let asked = params.base { base = try generation.data.currency(asked, "base") }
    return .sliced(RateListWork(base, generation, desk))
  }
}

/// Writes a row for each rate, or for the way from each currency to a base.
final class RateListWork: SlicedWork {
  private let base: CurrencyCode?
  private let generation: ServedGeneration<ResidentTrade>
  private let desk: TradeDesk
  private let sources: Provenance
  private var rows = RowBuffer()
  private var unreachable: [CurrencyCode] = []
  private var next = 0

  init(_ base: CurrencyCode?, _ generation: ServedGeneration<ResidentTrade>, _ desk: TradeDesk) {
    (self.base, self.generation, self.desk) = (base, generation, desk)
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
        try rows.append(desk) { $0.writeGiven(trade.rates.rates[next]) }
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
    try rows.append(desk) { $0.writePath(path) }
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    reply.writeMap(count: sources.asOf == nil ? 4 : 5)
    reply.writeRows("rows", rows)
    try reply.writeAsOf(of: sources)
    try reply.writeSources(sources)
    reply.writeKey("generation")
    reply.writeEncoded(generation.encodedName)
    reply.writeKey("unreachable")
    reply.writeArray(count: unreachable.count)
    for currency in unreachable { reply.writeCurrency(currency) }
  }
}
