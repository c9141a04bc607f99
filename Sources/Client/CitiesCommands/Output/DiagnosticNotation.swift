internal import CBOR
internal import CitiesClient

/// An item in diagnostic notation (RFC 8949 §8).
func diagnosticNotation(_ item: CBORValue) -> String {
  switch item {
  case .unsigned(let number): "\(number)"
  case .negative(let number): number == .max ? "-18446744073709551616" : "-\(number + 1)"
  case .bytes(let content): "h'\(hexadecimal(content))'"
  case .text(let text): quoted(text)
  case .array(let elements): "[\(elements.map(diagnosticNotation).joined(separator: ", "))]"
  case .map(let pairs):
    "{\(pairs.map { "\(diagnosticNotation($0.key)): \(diagnosticNotation($0.value))" }.joined(separator: ", "))}"
  case .tagged(let tag, let content): "\(tag)(\(diagnosticNotation(content)))"
  case .bool(let flag): flag ? "true" : "false"
  case .null: "null"
  case .simple(let number): "simple(\(number))"
  case .double(let number): decimalText(number)
  }
}

private func quoted(_ text: String) -> String {
  var bytes: [UInt8] = []
  bytes.appendJSON(text)
  return String(decoding: bytes, as: UTF8.self)
}

extension Diagnostics {
  /// Shows one frame: which way, its payload's length, its bytes, what they mean.
  func trace(_ direction: Client.Direction, _ payload: UnsafeRawBufferPointer) {
    let arrow = direction == .sent ? ">" : "<"
    var lines = ["\(arrow) \(payload.count) bytes"]
    for start in stride(from: 0, to: payload.count, by: 32) {
      lines.append("\(arrow)   \(hexadecimal(payload[start..<min(start + 32, payload.count)]))")
    }
    let meaning = (try? CBORValue(decoding: Array(payload))).map(diagnosticNotation) ?? "not a CBOR item"
    say((lines + ["\(arrow) \(meaning)"]).joined(separator: "\n"))
  }
}
