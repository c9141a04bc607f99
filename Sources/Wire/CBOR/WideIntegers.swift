// The standard library gives 128-bit integers default implementations that always fail, and prefers them to the
// containers' generic functions; so these are spelled out.

extension ItemEncoder {
  func encode(_ value: Int128) throws { try write { $0.writeInteger(value) } }
  func encode(_ value: UInt128) throws { try write { $0.writeInteger(value) } }
}

extension KeyedItemEncoder {
  func encode(_ value: Int128, forKey key: Key) throws {
    try state.output.pointee.beginPair(key.stringValue, in: level)
    state.output.pointee.writer.writeInteger(value)
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    try state.output.pointee.beginPair(key.stringValue, in: level)
    state.output.pointee.writer.writeInteger(value)
  }
}

extension UnkeyedItemEncoder {
  func encode(_ value: Int128) throws {
    try state.output.pointee.beginElement(in: level)
    state.output.pointee.writer.writeInteger(value)
  }

  func encode(_ value: UInt128) throws {
    try state.output.pointee.beginElement(in: level)
    state.output.pointee.writer.writeInteger(value)
  }
}

extension ItemDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 { try .read(from: tape, at: index) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try .read(from: tape, at: index) }
}

extension KeyedItemDecoder {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try .read(from: tape, at: value(key)) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try .read(from: tape, at: value(key)) }
}

extension UnkeyedItemDecoder {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try read(type) }
}
