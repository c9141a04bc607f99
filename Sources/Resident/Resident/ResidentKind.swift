@_exported public import Base

/// A kind of resident file: its content, and the command that rebuilds it.
package struct ResidentKind: Hashable, Sendable {
  /// The four bytes in the header.
  package var code: FourBytes
  /// The readable name, such as `city index`.
  package var name: String
  /// The file's name in the state folder, such as `cities.index`.
  package var fileName: String
  /// The version of the sections, rows and order; raised with every change, so that older files are rebuilt.
  package var rowVersion: UInt32
  /// The command that rebuilds it, the advice of every error.
  package var remedy: String
  /// Most bytes of a file: a larger one is refused unread.
  package var maximumBytes = 1 << 30

  /// The name of a prebuilt file that is installed with the programs, such as `cities-7.index`.
  ///
  /// The name contains the row version, so that two versions can coexist: during an upgrade or downgrade a server finds
  /// its own, whichever package is unpacked first.
  package var installedName: String {
    guard let dot = fileName.lastIndex(of: ".") else { return "\(fileName)-\(rowVersion)" }
    return "\(fileName[..<dot])-\(rowVersion)\(fileName[dot...])"
  }
}

/// The 64-bit hash of a resident file's content.
///
/// Files with the same content share it. On the wire and in messages it is 16 hexadecimal digits.
package struct Generation: Hashable, Sendable, CustomStringConvertible {
  /// The hash.
  package var rawValue: UInt64

  /// Wraps a hash.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// 16 lower-case hexadecimal digits.
  package var description: String { hexadecimal(rawValue, digits: 16) }
}

/// Four bytes that name a section or a kind of file, such as `ROWS` or `CITY`.
///
/// The file has them in reading order, so that `strings` and a hex dump show them.
package struct FourBytes: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes as a little-endian number, the first one lowest.
  package var rawValue: UInt32

  /// Wraps the bytes as stored in a file.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first four bytes of `text`, padded with spaces.
  package init(_ text: String) {
    let bytes = Array(text.utf8.prefix(4))
    rawValue = (0..<4).reduce(0) { $0 | UInt32($1 < bytes.count ? bytes[$1] : 0x20) << UInt32(8 * $1) }
  }

  /// The same as ``init(_:)``.
  package init(stringLiteral text: String) { self.init(text) }

  /// The bytes as text; a byte that is not printable ASCII is shown as `\xNN`.
  package var description: String {
    (0..<4).map { byte(at: $0) }.map { byte in
      (0x20..<0x7f).contains(byte) ? String(UnicodeScalar(byte)) : "\\x" + hexadecimal(UInt64(byte), digits: 2)
    }.joined()
  }

  private func byte(at position: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: rawValue >> (8 * position)) }
}
