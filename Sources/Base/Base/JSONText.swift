@_exported public import ByteText

extension [UInt8] {
  /// Appends a JSON string (RFC 8259 §7) with its quotes.
  ///
  /// Escapes everything that acts on a terminal, as JSON allows: people print such text, too.
  /// - Complexity: O(*n*); text that needs no escapes is copied in one piece.
  package mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    let needsCare = text.utf8.contains { $0.mayActOnTerminal || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    if needsCare {
      for scalar in text.unicodeScalars { appendJSON(scalar) }
    } else {
      append(contentsOf: text.utf8)
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendJSON(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append(contentsOf: #"\""#.utf8)
    case "\\": append(contentsOf: #"\\"#.utf8)
    case "\n": append(contentsOf: #"\n"#.utf8)
    case "\r": append(contentsOf: #"\r"#.utf8)
    case "\t": append(contentsOf: #"\t"#.utf8)
    case _ where scalar.actsOnTerminal: appendUnicodeEscape(scalar)
    default: append(contentsOf: scalar.utf8)
    }
  }

  /// Appends an escape such as `\u009c`, for a scalar of at most four hexadecimal digits, like all that act on a
  /// terminal.
  package mutating func appendUnicodeEscape(_ scalar: Unicode.Scalar) {
    append(contentsOf: scalar.jsonEscape.utf8)
  }

  /// Appends base64 (RFC 4648): base64url without padding, or base64 with it.
  package mutating func appendBase64(_ content: [UInt8], forURL: Bool = false) {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + (forURL ? "-_" : "+/")
    let alphabet = Array(letters.utf8)
    for start in stride(from: 0, to: content.count, by: 3) {
      let group = content[start..<Swift.min(start + 3, content.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for position in 0...group.count { append(alphabet[Int(bits >> UInt32(18 - 6 * position) & 0x3f)]) }
      if !forURL { append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count)) }
    }
  }

  /// Appends two lower-case hexadecimal digits per byte.
  package mutating func appendHexadecimal(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      append(hexadecimalDigit(UInt32(byte) >> 4))
      append(hexadecimalDigit(UInt32(byte)))
    }
  }
}

/// `text` as a JSON string, for messages and for diagnostic notation.
package func quotedJSON(_ text: String) -> String {
  var bytes: [UInt8] = []
  bytes.appendJSON(text)
  return String(decoding: bytes, as: UTF8.self)
}

/// The digit of the lowest four bits.
private func hexadecimalDigit(_ value: UInt32) -> UInt8 {
  let digit = UInt8(truncatingIfNeeded: value & 0xf)
  return digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
}
