/// A type that is written as a single item, without a container.
protocol ItemScalar: Encodable {
  /// Writes the item.
  func write(to output: inout EncodingOutput) throws(CBORError)
}

extension Bool: ItemScalar {
  func write(to output: inout EncodingOutput) { output.writer.writeBool(self) }
}

extension String: ItemScalar {
  func write(to output: inout EncodingOutput) { output.writer.writeText(self) }
}

extension Double: ItemScalar {
  func write(to output: inout EncodingOutput) throws(CBORError) { try output.write(float: self) }
}

extension Float: ItemScalar {
  func write(to output: inout EncodingOutput) throws(CBORError) { try output.write(float: Double(self)) }
}

extension FixedWidthInteger where Self: SignedInteger {
  func write(to output: inout EncodingOutput) { output.writer.writeInteger(Int64(self)) }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  func write(to output: inout EncodingOutput) { output.writer.writeUnsigned(UInt64(self)) }
}

extension Int: ItemScalar {}
extension Int8: ItemScalar {}
extension Int16: ItemScalar {}
extension Int32: ItemScalar {}
extension Int64: ItemScalar {}
extension UInt: ItemScalar {}
extension UInt8: ItemScalar {}
extension UInt16: ItemScalar {}
extension UInt32: ItemScalar {}
extension UInt64: ItemScalar {}

extension Int128: ItemScalar {
  func write(to output: inout EncodingOutput) { output.writer.writeInteger(self) }
}

extension UInt128: ItemScalar {
  func write(to output: inout EncodingOutput) { output.writer.writeInteger(self) }
}
