import Money

/// A record of the sections `RATE` and `TXNS`: an exact decimal and up to two currencies, in 24 bytes.
///
/// | Offset | Bytes | Meaning |
/// |---|---|---|
/// | 0 | 16 | the decimal's digits with their sign, a 128-bit number |
/// | 16 | 2 | the number of digits after the point, signed |
/// | 18 | 2 | index of the currency in `CURR`; of a rate, the one to convert from |
/// | 20 | 2 | of a rate, index of the currency to convert to; else 0 |
/// | 22 | 2 | 0 |
///
/// All numbers are little-endian. 38 digits and every scale of a decimal fit.
struct TradeRecord {
  /// Bytes of a record.
  static let size = 24

  /// The amount or rate.
  var value: ExactDecimal
  /// The index of its currency.
  var currency: Int
  /// The index of the other currency of a rate.
  var other: Int

  init(_ value: ExactDecimal, currency: Int, other: Int = 0) {
    (self.value, self.currency, self.other) = (value, currency, other)
  }

  /// Reads the record at `index` of a section; `nil` if it is out of bounds or has no valid decimal.
  init?(_ section: UnsafeRawBufferPointer, at index: Int) {
    guard index >= 0, index < section.count / Self.size else { return nil }
    let start = index * Self.size
    let mantissa = section.load(littleEndian: Int128.self, at: start)
    let scale = section.load(littleEndian: Int16.self, at: start + 16)
    guard let value = try? ExactDecimal(mantissa: mantissa, scale: Int(scale)) else { return nil }
    self.value = value
    currency = Int(section.load(littleEndian: UInt16.self, at: start + 18))
    other = Int(section.load(littleEndian: UInt16.self, at: start + 20))
  }

  /// Appends the record; both indexes are below ``ResidentTrade/maximumCurrencies``.
  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: value.mantissa)
    bytes.append(littleEndian: Int16(value.scale))
    bytes.append(littleEndian: UInt16(currency))
    bytes.append(littleEndian: UInt16(other))
    bytes.append(littleEndian: UInt16(0))
  }
}

/// Reads the parts of `trade.resident` that are needed on opening, and refuses contradictions.
struct TradeReader {
  private let file: ResidentFile

  init(_ file: ResidentFile) { self.file = file }

  func currencies() throws(ResidentError) -> [CurrencyCode] {
    let bytes = try file.section(.currencies)
    guard bytes.count % 8 == 0, bytes.count / 8 <= ResidentTrade.maximumCurrencies else {
      throw fault(
        .currencies, "\(bytes.count) bytes are not a list of up to \(ResidentTrade.maximumCurrencies) currencies")
    }
    var currencies: [CurrencyCode] = []
    for start in stride(from: 0, to: bytes.count, by: 8) {
      let packed = bytes.load(littleEndian: UInt64.self, at: start)
      guard let currency = try? CurrencyCode(packed: packed) else {
        throw fault(.currencies, "\(packed) at byte \(start) is not a currency")
      }
      guard currencies.last.map({ $0 < currency }) ?? true else {
        throw fault(.currencies, "\(currency) comes after \(currencies[currencies.count - 1])")
      }
      currencies.append(currency)
    }
    return currencies
  }

  func rates(_ currencies: [CurrencyCode]) throws(ResidentError) -> RateTable {
    let (rates, stops) = (try rates(.rates, currencies), try stops(.nextStops))
    do { return try RateTable(restoring: rates, nextStops: stops) } catch { throw fault(.nextStops, "\(error)") }
  }

  func leftOutRates(_ currencies: [CurrencyCode], beside table: RateTable) throws(ResidentError) -> LeftOutRates {
    let (pairs, stops) = (try rates(.leftOutRates, currencies), try stops(.leftOutStops))
    do {
      return try LeftOutRates(restoring: pairs, beside: table, nextStops: stops)
    } catch {
      throw fault(.leftOutStops, "\(error)")
    }
  }

  private func rates(_ section: FourBytes, _ currencies: [CurrencyCode]) throws(ResidentError) -> [Rate] {
    let records = try records(section)
    var rates: [Rate] = []
    for index in 0..<records.count / TradeRecord.size {
      guard let record = TradeRecord(records, at: index), record.currency < currencies.count,
        record.other < currencies.count,
        let rate = try? Rate(from: currencies[record.currency], to: currencies[record.other], value: record.value)
      else { throw fault(section, "record \(index) is not a rate") }
      rates.append(rate)
    }
    return rates
  }

  private func stops(_ section: FourBytes) throws(ResidentError) -> [UInt16] {
    let bytes = try file.section(section)
    guard bytes.count % 2 == 0 else { throw fault(section, "\(bytes.count) bytes are not stops of 2 bytes each") }
    return stride(from: 0, to: bytes.count, by: 2).map { bytes.load(littleEndian: UInt16.self, at: $0) }
  }

  /// The bytes of a section of whole ``TradeRecord``s.
  func records(_ section: FourBytes) throws(ResidentError) -> UnsafeRawBufferPointer {
    let bytes = try file.section(section)
    guard bytes.count % TradeRecord.size == 0 else {
      throw fault(section, "\(bytes.count) bytes are not records of \(TradeRecord.size) bytes each")
    }
    return bytes
  }

  /// The products' codes, and the start of each one's transactions; together they cover all `transactions` once.
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

  /// For each transaction, in the order of the source, its position among those of its product.
  func sourcePositions(of transactions: Int) throws(ResidentError) -> Column {
    let bytes = try file.section(.sourcePositions)
    guard bytes.count == 4 * transactions else {
      throw fault(.sourcePositions, "\(bytes.count) bytes do not fit \(transactions) transactions")
    }
    return Column(bytes)
  }

  /// For each product, the number of its records that could not be read.
  func leftOut(of products: Int) throws(ResidentError) -> Column {
    let bytes = try file.section(.leftOutOfProducts)
    guard bytes.count == 4 * products else {
      throw fault(.leftOutOfProducts, "\(bytes.count) bytes do not fit \(products) products")
    }
    return Column(bytes)
  }

  private func fault(_ section: FourBytes, _ problem: String) -> ResidentError {
    file.error(.contents("section \(section): \(problem)"))
  }
}
