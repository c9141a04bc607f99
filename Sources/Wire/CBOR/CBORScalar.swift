/// A value that is written as one item, without an encoder and without errors.
public protocol CBORItem {
  /// Appends the item.
  func write(into writer: inout CBORWriter)
}

/// A type that is a single item, read and written without a container.
protocol CBORScalar: Codable {
  /// Reads the item at `index`.
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Self

  /// Writes the item.
  func write(to output: inout EncodingOutput) throws(CBORError)
}

extension CBORScalar where Self: CBORItem {
  func write(to output: inout EncodingOutput) { write(into: &output.writer) }
}

extension Bool: CBORScalar, CBORItem {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Bool {
    let item = tape[index]
    guard item.kind == .simple, item.argument == 20 || item.argument == 21 else {
      throw tape.mismatch("bool", at: index)
    }
    return item.argument == 21
  }

  /// Appends a Boolean.
  @inlinable
  public func write(into writer: inout CBORWriter) { writer.writeBool(self) }
}

extension String: CBORScalar, CBORItem {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> String {
    let item = tape[index]
    guard item.kind == .text || item.kind == .chunkedText else { throw tape.mismatch("text", at: index) }
    return tape.string(at: index)
  }

  /// Appends a text string.
  @inlinable
  public func write(into writer: inout CBORWriter) { writer.writeText(self) }
}

extension Double: CBORScalar {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Double {
    let item = tape[index]
    switch item.kind {
    case .float: return Double(bitPattern: item.argument)
    case .unsigned: return Double(item.argument)
    case .negative: return -1 - Double(item.argument)
    default: throw tape.mismatch("float", at: index)
    }
  }

  func write(to output: inout EncodingOutput) throws(CBORError) { try output.write(float: self) }
}

extension Float: CBORScalar {
  static func read(from tape: Tape, at index: Int) throws(CBORError) -> Float {
    let value = Float(try Double.read(from: tape, at: index))
    guard value.isFinite else { throw tape.error(.refused("the number does not fit a Float"), at: index) }
    return value
  }

  func write(to output: inout EncodingOutput) throws(CBORError) { try output.write(float: Double(self)) }
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

extension CBORItem where Self: SignedInteger {
  /// Appends an integer of major type 0 or 1.
  @inlinable
  public func write(into writer: inout CBORWriter) { writer.writeInteger(Int64(self)) }
}

extension CBORItem where Self: UnsignedInteger {
  /// Appends an integer of major type 0.
  @inlinable
  public func write(into writer: inout CBORWriter) { writer.writeUnsigned(UInt64(self)) }
}

extension Int: CBORScalar, CBORItem {}
extension Int8: CBORScalar, CBORItem {}
extension Int16: CBORScalar, CBORItem {}
extension Int32: CBORScalar, CBORItem {}
extension Int64: CBORScalar, CBORItem {}
extension UInt: CBORScalar, CBORItem {}
extension UInt8: CBORScalar, CBORItem {}
extension UInt16: CBORScalar, CBORItem {}
extension UInt32: CBORScalar, CBORItem {}
extension UInt64: CBORScalar, CBORItem {}

extension Int128: CBORScalar, CBORItem {
  /// Appends an integer; a bignum beyond 64 bits.
  @inlinable
  public func write(into writer: inout CBORWriter) { writer.writeInteger(self) }
}

// The standard library gives 128-bit integers default implementations that always fail, and prefers them to the
// containers' generic functions; so these are spelled out.

extension ItemEncoder {
  func encode(_ value: Int128) throws { try write { $0.writeInteger(value) } }
}

extension ItemDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 { try .read(from: tape, at: index) }
}
