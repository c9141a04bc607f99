/// Any CBOR item as a tree, for tools that print or forward items of unknown types.
///
/// Decoded trees are nested at most ``CBORLimits/maximumDepth`` deep; programs that build trees must see to that
/// themselves.
public indirect enum CBORValue: Sendable {
  /// Major type 0.
  case unsigned(UInt64)
  /// Major type 1: the value is −1 − n.
  case negative(UInt64)
  /// Major type 2.
  case bytes([UInt8])
  /// Major type 3.
  case text(String)
  /// Major type 4.
  case array([CBORValue])
  /// Major type 5, pairs in the sender's order; encoding sorts them.
  case map([(key: CBORValue, value: CBORValue)])
  /// Major type 6.
  case tagged(UInt64, CBORValue)
  /// `false` and `true`.
  case bool(Bool)
  /// `null`.
  case null
  /// Another simple value (RFC 8949 §3.3), such as 23 for `undefined`.
  case simple(UInt8)
  /// A float of any width.
  case double(Double)

  /// The integer `value`; a bignum beyond 64 bits.
  public init(integer value: Int128) {
    let argument = value >= 0 ? UInt128(value) : UInt128(bitPattern: ~value)
    if let short = UInt64(exactly: argument) {
      self = value >= 0 ? .unsigned(short) : .negative(short)
    } else {
      let digits = withUnsafeBytes(of: argument.bigEndian) { Array($0.drop { $0 == 0 }) }
      self = .tagged(value >= 0 ? CBORWriter.unsignedBignum : CBORWriter.negativeBignum, .bytes(digits))
    }
  }

  /// Decodes exactly one item that fills `bytes`.
  ///
  /// - Throws: any error of ``CBORDecoder`` for bytes that no receiver accepts.
  public init(decoding bytes: [UInt8], limits: CBORLimits = .init()) throws(CBORError) {
    try self.init(decoding: bytes.span.bytes, limits: limits)
  }

  init(decoding bytes: RawSpan, limits: CBORLimits) throws(CBORError) {
    self = try bytes.withUnsafeBytes { bytes throws(CBORError) in
      let storage = try TapeScanner.scan(bytes, limits: limits)
      return withExtendedLifetime(storage) { CBORValue(storage.tape, at: 0) }
    }
  }

  /// The deterministic encoding.
  ///
  /// - Throws: `.unencodable` for NaN, infinities and a key that occurs twice.
  public func encoded() throws(CBORError) -> [UInt8] {
    var writer = CBORWriter(capacity: 64)
    try write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout CBORWriter) throws(CBORError) {
    switch self {
    case .unsigned(let argument): writer.writeHead(.unsigned, argument)
    case .negative(let argument): writer.writeHead(.negative, argument)
    case .bytes(let content): writer.writeBytes(content)
    case .text(let text): writer.writeText(text)
    case .array(let elements):
      writer.writeArray(count: elements.count)
      for element in elements { try element.write(to: &writer) }
    case .map(let pairs): try Self.write(pairs, to: &writer)
    case .tagged(let tag, let content): try Self.write(tag, content, to: &writer)
    case .bool(let flag): writer.writeBool(flag)
    case .null: writer.writeNull()
    case .simple(let number): try Self.write(simple: number, to: &writer)
    case .double(let number): try writer.writeDouble(number)
    }
  }

  private static func write(
    _ pairs: [(key: CBORValue, value: CBORValue)], to writer: inout CBORWriter
  ) throws(CBORError) {
    writer.writeMap(count: pairs.count)
    var entries: [MapEntry] = []
    for (key, value) in pairs {
      let start = writer.count
      try key.write(to: &writer)
      entries.append(MapEntry(key: start, value: writer.count))
      try value.write(to: &writer)
    }
    if let twin = MapOrder.arrange(&writer, entries[...]) {
      throw CBORError(.unencodable("a map key that occurs twice"), offset: twin)
    }
  }

  /// A bignum that fits is written as a plain integer (RFC 8949 §3.4.3).
  private static func write(_ tag: UInt64, _ content: CBORValue, to writer: inout CBORWriter) throws(CBORError) {
    if let magnitude = CBORValue.tagged(tag, content).bignumMagnitude {
      if magnitude.count <= 8 {
        let argument = magnitude.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return writer.writeHead(tag == CBORWriter.unsignedBignum ? .unsigned : .negative, argument)
      }
      writer.writeTag(tag)
      return writer.writeBytes(Array(magnitude))
    }
    writer.writeTag(tag)
    try content.write(to: &writer)
  }

  private static func write(simple number: UInt8, to writer: inout CBORWriter) throws(CBORError) {
    guard number < 24 || number >= 32 else {
      throw CBORError(.unencodable("the simple value \(number)"), offset: writer.count)
    }
    writer.writeHead(.simple, UInt64(number))
  }

  /// The bytes of a bignum's argument without leading zeros; nil for any other item.
  package var bignumMagnitude: ArraySlice<UInt8>? {
    guard case .tagged(CBORWriter.unsignedBignum...CBORWriter.negativeBignum, .bytes(let digits)) = self else {
      return nil
    }
    return digits.drop { $0 == 0 }
  }
}

extension CBORValue: Equatable {
  /// Trees are equal if they have the same deterministic encoding; a tree without one equals nothing.
  public static func == (left: CBORValue, right: CBORValue) -> Bool {
    guard let left = try? left.encoded(), let right = try? right.encoded() else { return false }
    return left == right
  }
}

extension CBORValue: Codable {
  /// Reads any item; works only with ``CBORDecoder``.
  public init(from decoder: any Decoder) throws {
    guard let item = decoder as? ItemDecoder else {
      throw DecodingError.typeMismatch(
        CBORValue.self, .init(codingPath: decoder.codingPath, debugDescription: "only CBORDecoder reads a CBORValue"))
    }
    self.init(item.tape, at: item.index)
  }

  /// Writes the item; works only with ``CBOREncoder``.
  public func encode(to encoder: any Encoder) throws {
    guard let item = encoder as? ItemEncoder else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "only CBOREncoder writes a CBORValue"))
    }
    let encoded = try encoded()
    try item.write { $0.writeEncoded(encoded) }
  }

  /// The item at `index` of a tape.
  package init(_ tape: Tape, at index: Int) {
    let item = tape[index]
    switch item.kind {
    case .unsigned: self = .unsigned(item.argument)
    case .negative: self = .negative(item.argument)
    case .bytes, .chunkedBytes: self = .bytes(tape.bytesContent(at: index) ?? [])
    case .text, .chunkedText: self = .text(tape.string(at: index))
    case .array: self = .array(Self.elements(tape, at: index))
    case .map: self = .map(Self.pairs(tape, at: index))
    case .tag: self = .tagged(item.argument, CBORValue(tape, at: index + 1))
    case .float: self = .double(Double(bitPattern: item.argument))
    case .simple: self = Self.simple(item.argument)
    }
  }

  private static func simple(_ argument: UInt64) -> CBORValue {
    switch argument {
    case 20: .bool(false)
    case 21: .bool(true)
    case 22: .null
    default: .simple(UInt8(truncatingIfNeeded: argument))
    }
  }

  private static func elements(_ tape: Tape, at index: Int) -> [CBORValue] {
    var (elements, child) = ([CBORValue](), index + 1)
    elements.reserveCapacity(Int(tape[index].argument))
    for _ in 0..<Int(tape[index].argument) {
      elements.append(CBORValue(tape, at: child))
      child = Int(tape[child].next)
    }
    return elements
  }

  private static func pairs(_ tape: Tape, at index: Int) -> [(key: CBORValue, value: CBORValue)] {
    var (pairs, key) = ([(key: CBORValue, value: CBORValue)](), index + 1)
    for _ in 0..<Int(tape[index].argument) {
      let value = Int(tape[key].next)
      pairs.append((CBORValue(tape, at: key), CBORValue(tape, at: value)))
      key = Int(tape[value].next)
    }
    return pairs
  }
}
