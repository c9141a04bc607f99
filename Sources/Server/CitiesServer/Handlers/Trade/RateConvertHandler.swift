import CBOR
import CitiesProtocol
import FrameService
import Money
import Resident

/// `rate.convert`: an amount in another currency.
final class RateConvertHandler: RequestHandler {
  let method = RateConvert.method
  private let desk: TradeDesk

  init(_ desk: TradeDesk) { self.desk = desk }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(RateConvert.self)
    let generation = try desk.generation(for: request, named: nil)
    let trade = generation.data
    let from = try trade.currency(params.from, "from")
    let path = try path(from: from, to: trade.currency(params.to, "to"), trade.rates)
    let rounding = Rounding(params.rounding)
    let (amount, result, trace): (ExactDecimal, ExactDecimal, [RoundedDecimal])
    do {
      amount = try ExactDecimal(mantissa: params.amount.mantissa, scale: -params.amount.exponent)
      result = try path.convert(amount, rounding: rounding)
      trace = try path.trace(amount, rounding: rounding)
    } catch {
      throw .invalidParam("amount", "\(params.amount) \(from) cannot be converted to \(path.to): \(error)")
    }
    try reply.write(
      RateConvert.Reply(
        amount: Decimal38(amount), result: Decimal38(result), path: ConversionRow(path),
        trace: trace.map { Decimal38($0.value) }, rounding: rounding.mode, sources: desk.sources(of: trade),
        generation: generation.name))
    return .written
  }

  /// - Throws: `no-conversion`, also if the rates multiply to a number beyond every scale.
  private func path(
    from: CurrencyCode, to: CurrencyCode, _ rates: RateTable
  ) throws(WireError) -> ConversionPath {
    let found: ConversionPath?
    do {
      found = try rates.path(from: from, to: to)
    } catch {
      throw WireError(.noConversion, "the rates from \(from) to \(to) cannot be multiplied: \(error)")
    }
    guard let found else { throw WireError(.noConversion, "no rates lead from \(from) to \(to)") }
    return found
  }
}
