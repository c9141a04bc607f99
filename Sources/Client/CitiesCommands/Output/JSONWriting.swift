internal import CBOR

extension Output {
  /// Collects any wire message as one line of JSON, with the field names of the wire.
  func writeJSON(_ message: some Encodable) throws {
    bytes.appendJSON(try CBORValue(decoding: CBOREncoder().encode(message)))
    write("\n")
  }
}

extension [UInt8] {
  /// Appends any item of the wire as JSON.
  ///
  /// What JSON has no form for is written as RFC 8949 §6.1 proposes: byte strings in hexadecimal text, tags by what they
  /// enclose, decimal fractions (tag 4) as exact text, keys that are no text as text.
  mutating func appendJSON(_ item: CBORValue) {
    switch item {
    case .unsigned(let number): self += "\(number)".utf8
    case .negative(let number): self += number == .max ? "-18446744073709551616".utf8 : "-\(number + 1)".utf8
    case .bytes(let content): appendJSON(hexadecimal(content))
    case .text(let text): appendJSON(text)
    case .array(let elements): appendJSONArray(elements)
    case .map(let pairs): appendJSONMap(pairs)
    case .tagged(4, .array(let parts)) where parts.count == 2: appendJSONDecimal(parts)
    case .tagged(_, let content): appendJSON(content)
    case .bool(let flag): self += flag ? "true".utf8 : "false".utf8
    case .null, .simple: self += "null".utf8
    case .double(let number): self += decimalText(number).utf8
    }
  }

  private mutating func appendJSONArray(_ elements: [CBORValue]) {
    self += "[".utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { self += ",".utf8 }
      appendJSON(element)
    }
    self += "]".utf8
  }

  private mutating func appendJSONMap(_ pairs: [(key: CBORValue, value: CBORValue)]) {
    self += "{".utf8
    for (index, pair) in pairs.enumerated() {
      if index > 0 { self += ",".utf8 }
      if case .text(let name) = pair.key {
        appendJSON(name)
      } else {
        var name: [UInt8] = []
        name.appendJSON(pair.key)
        appendJSON(String(decoding: name, as: UTF8.self))
      }
      self += ":".utf8
      appendJSON(pair.value)
    }
    self += "}".utf8
  }

  /// `[-2, 1499]` as `"14.99"`; a mantissa or exponent beyond what is printed so stands as the two numbers.
  private mutating func appendJSONDecimal(_ parts: [CBORValue]) {
    guard let exponent = parts[0].small, let mantissa = parts[1].small, (-40...0).contains(exponent) else {
      return appendJSONArray(parts)
    }
    let digits = String(mantissa.magnitude)
    let scale = Int(-exponent)
    let padded = String(repeating: "0", count: Swift.max(0, scale + 1 - digits.count)) + digits
    let fraction = scale == 0 ? "" : "." + padded.suffix(scale)
    appendJSON((mantissa < 0 ? "-" : "") + padded.dropLast(scale) + fraction)
  }
}

extension CBORValue {
  /// The number, if it is whole and fits.
  fileprivate var small: Int64? {
    switch self {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let number): Int64(exactly: number).map { -1 - $0 }
    default: nil
    }
  }
}

/// `bytes` as lower-case hexadecimal digits.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var result = ""
  for byte in bytes {
    if byte < 16 { result += "0" }
    result += String(byte, radix: 16)
  }
  return result
}
