import Money

/// One line of the sections `RATE` and `TXNS`: an exact decimal and up to two currencies, in 24 bytes.
///
/// | Offset | Bytes | Meaning |
/// |---|---|---|
/// | 0 | 16 | the decimal's digits with their sign, a 128-bit number |
/// | 16 | 2 | how many of the digits stand after the point, with a sign |
/// | 18 | 2 | index of the currency in `CURR`; of a rate, the one that is given away |
/// | 20 | 2 | of a rate, index of the currency that is got for it; else 0 |
/// | 22 | 2 | 0 |
///
/// All numbers are little-endian. 38 digits and every scale that a decimal can have fit.
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

  /// Reads the record at `index` of a section; `nil` if it lies outside or holds no decimal.
  init?(_ section: UnsafeRawBufferPointer, at index: Int) {
    guard index >= 0, index < section.count / Self.size else { return nil }
    let start = index * Self.size
    let mantissa = Int128(littleEndian: section.loadUnaligned(fromByteOffset: start, as: Int128.self))
    let scale = Int16(littleEndian: section.loadUnaligned(fromByteOffset: start + 16, as: Int16.self))
    guard let value = try? ExactDecimal(mantissa: mantissa, scale: Int(scale)) else { return nil }
    self.value = value
    currency = Int(UInt16(littleEndian: section.loadUnaligned(fromByteOffset: start + 18, as: UInt16.self)))
    other = Int(UInt16(littleEndian: section.loadUnaligned(fromByteOffset: start + 20, as: UInt16.self)))
  }

  /// Appends the record; both indexes are below ``ResidentTrade/maximumCurrencies``.
  func append(to bytes: inout [UInt8]) {
    bytes.append(little: value.mantissa)
    bytes.append(little: Int16(value.scale))
    bytes.append(little: UInt16(currency))
    bytes.append(little: UInt16(other))
    bytes.append(little: UInt16(0))
  }
}

extension [UInt8] {
  /// Appends a number, its least byte first.
  mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
