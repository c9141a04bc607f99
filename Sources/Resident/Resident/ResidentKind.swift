import Base

/// A kind of resident file: its content, and the command that rebuilds it.
package struct ResidentKind: Hashable, Sendable {
  /// Its four bytes in the header.
  package var code: FourBytes
  /// Its name for people, such as `city index`.
  package var name: String
  /// The file's name in the state folder, as `cities.index`.
  package var fileName: String
  /// The version of the sections, rows and order; raised with every change, so that older files are rebuilt.
  package var rowVersion: UInt32
  /// The command that rebuilds it; every refusal ends with it.
  package var remedy: String
  /// Bytes of a file at most: a larger one is refused before anything of it is read or summed.
  package var maximumBytes = 1 << 30

  /// The name of a prebuilt file that is installed with the programs, as `cities-7.index`.
  ///
  /// It has the row version, so that files of two versions can lie side by side: a server finds its own during an
  /// upgrade and a downgrade, whichever package is unpacked first.
  package var installedName: String {
    guard let dot = fileName.lastIndex(of: ".") else { return "\(fileName)-\(rowVersion)" }
    return "\(fileName[..<dot])-\(rowVersion)\(fileName[dot...])"
  }
}

/// What a resident file holds, as 64 bits: the hash of its content.
///
/// Two files with the same content share it.
/// On the wire and in messages it is 16 hexadecimal digits.
package struct Generation: Hashable, Sendable, CustomStringConvertible {
  /// The hash.
  package var rawValue: UInt64

  /// Takes a hash.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// 16 lower-case hexadecimal digits.
  package var description: String { hexadecimal(rawValue, digits: 16) }
}

/// Four bytes that name a section or a kind of file, as `ROWS` or `CITY`.
///
/// They are in the file in reading order, so that `strings` and a hex dump show them.
package struct FourBytes: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes as a little-endian number, the first one lowest.
  package var rawValue: UInt32

  /// Takes the bytes as stored in a file.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first four bytes of `text`, filled up with spaces.
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
