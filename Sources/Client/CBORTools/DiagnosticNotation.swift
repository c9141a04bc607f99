public import CBOR

extension CBORValue {
  /// Diagnostic notation (RFC 8949 §8) on one line, as in the examples of its Appendix A.
  ///
  /// ```
  /// {"id": 7, "result": {"at": 0("2026-03-01T12:00:00Z"), "digest": h'01ff'}}
  /// ```
  /// Text is escaped as by ``json(indented:)``.
  /// - Complexity: O(*n*), except for bignums up to 128 bytes, which are printed as integers in quadratic time.
  public var diagnostic: String {
    var text: [UInt8] = []
    text.appendDiagnostic(self)
    return String(decoding: text, as: UTF8.self)
  }

  /// A bignum in decimal; `nil` for more than 128 bytes, because the conversion is quadratic.
  var bignumText: String? {
    guard case .tagged(let tag, _) = self, let magnitude = bignumMagnitude, magnitude.count <= 128 else { return nil }
    let isNegative = tag == CBORWriter.negativeBignum
    return (isNegative ? "-" : "") + decimalDigits(magnitude, plus: isNegative ? 1 : 0)
  }
}

extension [UInt8] {
  /// Appends ``CBORValue/diagnostic``.
  fileprivate mutating func appendDiagnostic(_ item: CBORValue) {
    switch item {
    case .unsigned, .negative, .text, .bool, .null: appendJSON(item)
    case .bytes(let content):
      self += "h'".utf8
      appendHexadecimal(content)
      append(UInt8(ascii: "'"))
    case .array(let elements): appendList(elements, in: "[]", separator: ", ") { $0.appendDiagnostic($1) }
    case .map(let pairs): appendDiagnostic(pairs)
    case .tagged(let tag, let content): appendDiagnostic(tag, content, item.bignumText)
    case .simple(23): self += "undefined".utf8
    case .simple(let number): self += "simple(\(number))".utf8
    case .double(let number): self += String(number).utf8
    }
  }

  private mutating func appendDiagnostic(_ pairs: [(key: CBORValue, value: CBORValue)]) {
    appendList(pairs, in: "{}", separator: ", ") { text, pair in
      text.appendDiagnostic(pair.key)
      text += ": ".utf8
      text.appendDiagnostic(pair.value)
    }
  }

  private mutating func appendDiagnostic(_ tag: UInt64, _ content: CBORValue, _ bignum: String?) {
    if let bignum {
      self += bignum.utf8
      return
    }
    self += "\(tag)(".utf8
    appendDiagnostic(content)
    append(UInt8(ascii: ")"))
  }
}

/// The decimal digits of a big-endian number plus a small addend.
private func decimalDigits(_ bigEndian: ArraySlice<UInt8>, plus addend: UInt64) -> String {
  // Limbs of nine digits, least significant first.
  var limbs: [UInt64] = [0]
  func step(times factor: UInt64, plus addend: UInt64) {
    var carry = addend
    for index in limbs.indices {
      (carry, limbs[index]) = (limbs[index] * factor + carry).quotientAndRemainder(dividingBy: 1_000_000_000)
    }
    if carry > 0 { limbs.append(carry) }
  }
  for byte in bigEndian { step(times: 256, plus: UInt64(byte)) }
  step(times: 1, plus: addend)
  let rest = limbs.dropLast().reversed().map { zeroPadded(String($0), 9) }
  return String(limbs[limbs.count - 1]) + rest.joined()
}
