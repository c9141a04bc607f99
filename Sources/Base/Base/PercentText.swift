/// `text` with its percent-encoded bytes decoded (RFC 3986 §2.1); `nil` if an escape is incomplete or NUL, or the bytes
/// are not UTF-8.
package func percentDecoded(_ text: Substring) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value != 0
    else { return nil }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  return String(validating: bytes, as: UTF8.self)
}
