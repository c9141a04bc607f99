import Base

/// A kind of resident file: what is in it, and how it is made anew.
package struct ResidentKind: Hashable, Sendable {
  /// Its four bytes in the header.
  package var code: FourBytes
  /// What people call it, as `city index`.
  package var name: String
  /// The file's name in the state folder, as `cities.index`.
  package var fileName: String
  /// The version of what the sections hold, rows and order; raised with every change, and the file is made anew.
  package var rowVersion: UInt32
  /// The command that makes it anew; every refusal ends with it.
  package var remedy: String

  /// Describes a kind.
  package init(code: FourBytes, name: String, fileName: String, rowVersion: UInt32, remedy: String) {
    self.code = code
    self.name = name
    self.fileName = fileName
    self.rowVersion = rowVersion
    self.remedy = remedy
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
