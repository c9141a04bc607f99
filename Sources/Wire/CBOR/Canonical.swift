/// The core deterministic encoding (RFC 8949 §4.2.1) of the one item that fills `bytes`.
///
/// A server reads the result with its strict ``CBORReader``, to support senders with other encodings. Bignums that fit
/// 64 bits become plain integers, −0.0 becomes 0.0, and chunks of strings are joined.
/// - Throws: what ``CBORDecoder`` throws for bytes that no receiver accepts.
/// - Complexity: O(*n* log *n*) in the bytes.
public func canonicalized(_ bytes: RawSpan, limits: CBORLimits = .init()) throws(CBORError) -> [UInt8] {
  try CBORValue(decoding: bytes, limits: limits).encoded()
}

/// The core deterministic encoding (RFC 8949 §4.2.1) of the one item that fills `bytes`.
///
/// - Throws: what ``CBORDecoder`` throws for bytes that no receiver accepts.
/// - Complexity: O(*n* log *n*) in the bytes.
public func canonicalized(_ bytes: [UInt8], limits: CBORLimits = .init()) throws(CBORError) -> [UInt8] {
  try canonicalized(bytes.span.bytes, limits: limits)
}
