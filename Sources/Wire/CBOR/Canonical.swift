/// The core deterministic encoding (RFC 8949 §4.2.1) of the one item that fills `bytes`.
///
/// A server answers a sender that encodes otherwise by reading the result with its strict ``CBORReader``. Bignums that
/// fit 64 bits become plain integers, −0.0 becomes 0.0, pieces of strings are joined.
/// - Throws: what ``CBORDecoder`` throws for bytes that no receiver accepts.
/// - Complexity: O(*n* log *n*) in the bytes.
public func canonicalized(_ bytes: RawSpan, limits: CBORLimits = .init()) throws(CBORError) -> [UInt8] {
  try bytes.withUnsafeBytes { bytes throws(CBORError) in
    let storage = try TapeScanner.scan(bytes, limits: limits)
    var writer = CBORWriter(capacity: bytes.count)
    withExtendedLifetime(storage) { storage.tape.writeCanonical(0, into: &writer) }
    return writer.bytes
  }
}

/// The core deterministic encoding (RFC 8949 §4.2.1) of the one item that fills `bytes`.
///
/// - Throws: what ``CBORDecoder`` throws for bytes that no receiver accepts.
/// - Complexity: O(*n* log *n*) in the bytes.
public func canonicalized(_ bytes: [UInt8], limits: CBORLimits = .init()) throws(CBORError) -> [UInt8] {
  try canonicalized(bytes.span.bytes, limits: limits)
}

extension Tape {
  /// Appends the deterministic encoding of the item at `index`.
  func writeCanonical(_ index: Int, into writer: inout CBORWriter) {
    let item = self[index]
    switch item.kind {
    case .unsigned: writer.writeHead(.unsigned, item.argument)
    case .negative: writer.writeHead(.negative, item.argument)
    case .bytes: writer.writeBytes(content(of: item))
    case .text: writer.writeText(utf8: content(of: item))
    case .chunkedBytes: writer.writeBytes(joinedContent(of: item))
    case .chunkedText: joinedContent(of: item).withUnsafeBytes { writer.writeText(utf8: $0) }
    case .array: writeCanonicalArray(index, into: &writer)
    case .map: writeCanonicalMap(index, into: &writer)
    case .tag: writeCanonicalTag(index, into: &writer)
    case .float: writer.writeFinite(Double(bitPattern: item.argument))
    case .simple: writer.writeHead(.simple, item.argument)
    }
  }

  private func writeCanonicalArray(_ index: Int, into writer: inout CBORWriter) {
    let item = self[index]
    writer.writeHead(.array, item.argument)
    var child = index + 1
    for _ in 0..<Int(item.argument) {
      writeCanonical(child, into: &writer)
      child = Int(self[child].next)
    }
  }

  private func writeCanonicalMap(_ index: Int, into writer: inout CBORWriter) {
    let item = self[index]
    writer.writeHead(.map, item.argument)
    var entries: [MapEntry] = []
    var child = index + 1
    for _ in 0..<Int(item.argument) {
      let key = writer.count
      writeCanonical(child, into: &writer)
      entries.append(MapEntry(key: key, value: writer.count))
      child = Int(self[child].next)
      writeCanonical(child, into: &writer)
      child = Int(self[child].next)
    }
    // The scan has refused duplicates; there is nothing left to report.
    _ = MapOrder.arrange(&writer, entries[...])
  }

  private func writeCanonicalTag(_ index: Int, into writer: inout CBORWriter) {
    let item = self[index]
    let isBignum = item.argument == CBORWriter.unsignedBignum || item.argument == CBORWriter.negativeBignum
    guard isBignum, let content = bytesContent(at: index + 1) else {
      writer.writeTag(item.argument)
      return writeCanonical(index + 1, into: &writer)
    }
    let magnitude = content.drop { $0 == 0 }
    guard magnitude.count > 8 else {
      let argument = magnitude.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return writer.writeHead(item.argument == CBORWriter.unsignedBignum ? .unsigned : .negative, argument)
    }
    writer.writeTag(item.argument)
    writer.writeBytes(Array(magnitude))
  }

  /// The content of the byte string at `index`, nil if it is none.
  func bytesContent(at index: Int) -> [UInt8]? {
    let item = self[index]
    switch item.kind {
    case .bytes: return Array(content(of: item))
    case .chunkedBytes: return joinedContent(of: item)
    default: return nil
    }
  }
}

extension CBORWriter {
  /// Appends a float that is known to be finite.
  mutating func writeFinite(_ value: Double) {
    do { try writeDouble(value) } catch { writeNull() }
  }
}
