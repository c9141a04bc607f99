/// The bytes that pairs of hexadecimal digits stand for; blanks are ignored.
package func hex(_ digits: String) -> [UInt8] {
  let digits = digits.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Pairs of hexadecimal digits for `bytes`.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
