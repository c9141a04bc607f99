import Base

/// Four bytes that name a section or a kind of file, as `ROWS` or `CITY`.
///
/// In the file they stand as they are read, so that `strings` and a hex dump show them.
package struct FourBytes: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes as a little-endian number, the first one lowest.
  package var rawValue: UInt32

  /// Takes the bytes as they stand in a file.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first four bytes of `text`, filled up with blanks.
  package init(_ text: String) {
    let bytes = Array(text.utf8.prefix(4))
    rawValue = (0..<4).reduce(0) { $0 | UInt32($1 < bytes.count ? bytes[$1] : 0x20) << UInt32(8 * $1) }
  }

  /// The same as ``init(_:)``.
  package init(stringLiteral text: String) { self.init(text) }

  /// The bytes as text; what is not printable ASCII is shown as `\xNN`.
  package var description: String {
    (0..<4).map { byte(at: $0) }.map { byte in
      (0x20..<0x7f).contains(byte) ? String(UnicodeScalar(byte)) : "\\x" + hexadecimal(UInt64(byte), digits: 2)
    }.joined()
  }

  private func byte(at position: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: rawValue >> (8 * position)) }
}
