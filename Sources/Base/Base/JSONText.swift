extension [UInt8] {
  /// Appends a JSON string (RFC 8259 §7) with its quotes.
  ///
  /// What acts on a terminal is escaped everywhere, which JSON allows: such text is printed by people, too.
  /// - Complexity: O(*n*); text that needs no escapes is copied in one piece.
  package mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    if text.utf8.contains(where: mayNeedEscape) {
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

  /// Appends `\u009c`, for a scalar of at most four hexadecimal digits, as each is that acts on a terminal.
  package mutating func appendUnicodeEscape(_ scalar: Unicode.Scalar) {
    append(contentsOf: #"\u"#.utf8)
    for shift in stride(from: UInt32(12), through: 0, by: -4) { append(hexadecimalDigit(scalar.value >> shift)) }
  }

  /// Appends two lower-case hexadecimal digits a byte.
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

/// Whether `byte` is, or begins in UTF-8, a scalar that JSON or a terminal may have to be protected from.
private func mayNeedEscape(_ byte: UInt8) -> Bool {
  switch byte {
  case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7f: true
  // U+0080, U+061C, and U+200E to U+2069 begin with these.
  case 0xc2, 0xd8, 0xe2: true
  default: false
  }
}
