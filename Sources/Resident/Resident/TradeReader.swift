import Base
import CBOR
import Money

/// Reads what of `trade.resident` is needed at opening, and refuses what contradicts itself.
struct TradeReader {
  private let file: ResidentFile

  init(_ file: ResidentFile) { self.file = file }

  func summary() throws(ResidentError) -> ResidentTrade.Summary {
    let bytes = try file.section(.tradeSummary)
    do {
      return try CBORDecoder().decode(ResidentTrade.Summary.self, from: bytes)
    } catch {
      throw fault(.tradeSummary, "\(error)")
    }
  }

  func currencies() throws(ResidentError) -> [CurrencyCode] {
    let bytes = try file.section(.currencies)
    guard bytes.count % 8 == 0, bytes.count / 8 <= ResidentTrade.maximumCurrencies else {
      throw fault(
        .currencies, "\(bytes.count) bytes are no list of up to \(ResidentTrade.maximumCurrencies) currencies")
    }
    var currencies: [CurrencyCode] = []
    for start in stride(from: 0, to: bytes.count, by: 8) {
      let packed = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      guard let currency = try? CurrencyCode(packed: packed) else {
        throw fault(.currencies, "\(packed) at byte \(start) is no currency")
      }
      guard currencies.last.map({ $0 < currency }) ?? true else {
        throw fault(.currencies, "\(currency) stands behind \(currencies[currencies.count - 1])")
      }
      currencies.append(currency)
    }
    return currencies
  }

  func rates(_ currencies: [CurrencyCode]) throws(ResidentError) -> RateTable {
    let records = try records(.rates)
    var rates: [Rate] = []
    for index in 0..<records.count / TradeRecord.size {
      guard let record = TradeRecord(records, at: index), record.currency < currencies.count,
        record.other < currencies.count,
        let rate = try? Rate(from: currencies[record.currency], to: currencies[record.other], value: record.value)
      else { throw fault(.rates, "record \(index) is no rate") }
      rates.append(rate)
    }
    let stops = try nextStops()
    do {
      return try RateTable(restoring: rates, nextStops: stops)
    } catch {
      throw fault(.nextStops, "\(error)")
    }
  }

  private func nextStops() throws(ResidentError) -> [UInt16] {
    let bytes = try file.section(.nextStops)
    guard bytes.count % 2 == 0 else { throw fault(.nextStops, "\(bytes.count) bytes are no stops of 2 bytes each") }
    return stride(from: 0, to: bytes.count, by: 2).map {
      UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self))
    }
  }

  /// The bytes of a section of whole ``TradeRecord``s.
  func records(_ section: FourBytes) throws(ResidentError) -> UnsafeRawBufferPointer {
    let bytes = try file.section(section)
    guard bytes.count % TradeRecord.size == 0 else {
      throw fault(section, "\(bytes.count) bytes are no records of \(TradeRecord.size) bytes each")
    }
    return bytes
  }

  /// The products' codes, and where the transactions of each begin; together they cover all `transactions` once.
  func products(of transactions: Int) throws(ResidentError) -> (ByteTable, Column) {
    guard let products = ByteTable(try file.section(.products)) else {
      throw fault(.products, "the codes are cut or overlap")
    }
    let bytes = try file.section(.productOffsets)
    let offsets = Column(bytes)
    guard bytes.count == 4 * (products.count + 1) else {
      throw fault(.productOffsets, "\(bytes.count) bytes do not fit \(products.count) products")
    }
    guard offsets[0] == 0, offsets[products.count] == transactions,
      (0..<products.count).allSatisfy({ offsets[$0] <= offsets[$0 + 1] })
    else { throw fault(.productOffsets, "they do not cover \(transactions) transactions") }
    return (products, offsets)
  }

  /// For each of so many transactions, in the order of the source, its position among those of its product.
  func sourcePositions(of transactions: Int) throws(ResidentError) -> Column {
    let bytes = try file.section(.sourcePositions)
    guard bytes.count == 4 * transactions else {
      throw fault(.sourcePositions, "\(bytes.count) bytes do not fit \(transactions) transactions")
    }
    return Column(bytes)
  }

  private func fault(_ section: FourBytes, _ problem: String) -> ResidentError {
    file.error(.contents("section \(section): \(problem)"))
  }
}
