/// A type that is read from a single item, without a container.
protocol TapeScalar: Decodable {
  /// Reads the item at `index`.
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Self
}

extension Bool: TapeScalar {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Bool {
    let item = tape[index]
    guard item.kind == .simple, item.argument == 20 || item.argument == 21 else {
      throw tape.mismatch("bool", at: index)
    }
    return item.argument == 21
  }
}

extension String: TapeScalar {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> String {
    let item = tape[index]
    if item.kind == .text { return String(decoding: tape.content(of: item), as: UTF8.self) }
    guard item.kind == .chunkedText else { throw tape.mismatch("text", at: index) }
    return tape.string(at: index)
  }
}

extension Double: TapeScalar {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Double {
    let item = tape[index]
    switch item.kind {
    case .float: return Double(bitPattern: item.argument)
    case .unsigned: return Double(item.argument)
    case .negative: return -1 - Double(item.argument)
    default: throw tape.mismatch("float", at: index)
    }
  }
}

extension Float: TapeScalar {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Float {
    let value = Float(try Double.read(from: tape, at: index))
    guard value.isFinite else { throw tape.error(.refused("the number does not fit a Float"), at: index) }
    return value
  }
}

extension FixedWidthInteger where Self: Decodable {
  /// Reads an integer of either sign, a bignum included.
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Self {
    let item = tape[index]
    switch item.kind {
    case .unsigned: if let value = Self(exactly: item.argument) { return value }
    case .negative: if let value = Self(exactly: -1 - Int128(item.argument)) { return value }
    case .tag: if let value: Self = try tape.bignum(at: index) { return value }
    default: throw tape.mismatch("integer", at: index)
    }
    throw tape.mismatch("integer from \(Self.min) to \(Self.max)", at: index)
  }
}

extension Int: TapeScalar {}
extension Int8: TapeScalar {}
extension Int16: TapeScalar {}
extension Int32: TapeScalar {}
extension Int64: TapeScalar {}
extension Int128: TapeScalar {}
extension UInt: TapeScalar {}
extension UInt8: TapeScalar {}
extension UInt16: TapeScalar {}
extension UInt32: TapeScalar {}
extension UInt64: TapeScalar {}
extension UInt128: TapeScalar {}

extension Tape {
  /// The bignum at `index` (RFC 8949 §3.4.3), nil if it is too large for `Value`.
  ///
  /// - Throws: `.mismatch` if the item is no bignum.
  func bignum<Value: FixedWidthInteger>(at index: Int) throws(CBORError) -> Value? {
    let tag = self[index].argument
    guard tag == CBORWriter.unsignedBignum || tag == CBORWriter.negativeBignum,
      let content = bytesContent(at: index + 1)
    else { throw mismatch("integer", at: index) }
    let digits = content.drop { $0 == 0 }
    guard digits.count <= 16 else { return nil }
    let magnitude = digits.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    if tag == CBORWriter.unsignedBignum { return Value(exactly: magnitude) }
    guard let magnitude = Int128(exactly: magnitude) else { return nil }
    return Value(exactly: -1 - magnitude)
  }
}
