import Glibc
import System

/// The fault of a resident file, with the expected and the found value.
package enum ResidentFault: Error, Equatable, Sendable {
  /// There is no such file.
  case absent
  /// A system call failed.
  case system(call: String, code: Int32)
  /// A folder, pipe, socket or device.
  case notRegular
  /// A link made by a user other than root and this one.
  case link(owner: UInt32)
  /// An empty file.
  case empty
  /// Another magic: not a resident file.
  case foreign(found: [UInt8])
  /// A layout that this build does not know.
  case formatVersion(expected: UInt32, found: UInt32)
  /// A resident file of another kind.
  case kind(expected: FourBytes, found: FourBytes)
  /// Rows that this build does not know.
  case rowVersion(expected: UInt32, found: UInt32)
  /// Truncated, or longer than declared.
  case size(expected: UInt64, found: UInt64)
  /// The header or section table was changed after it was written.
  case headerChecksum(expected: UInt32, found: UInt32)
  /// An invalid header with a correct checksum; the text describes the fault.
  case table(String)
  /// A section was changed after it was written.
  case sectionChecksum(section: FourBytes, expected: UInt32, found: UInt32)
  /// The content does not match the hash in the header.
  case contentHash(expected: Generation, found: Generation)
  /// A section that the kind requires is missing.
  case missingSection(FourBytes)
  /// The sections are intact, but their contents are invalid; the text describes the fault.
  case contents(String)
}

extension ResidentFault: CustomStringConvertible {
  /// One clause, without path and remedy.
  package var description: String {
    switch self {
    case .absent: "there is no such file"
    case .system(let call, let code): "\(SystemError(call, code: code))"
    case .notRegular: "expected a regular file, found a folder, pipe, socket or device"
    case .link(let owner): "a symbolic link of user \(owner), which is not followed; remove it"
    case .empty: "the file is empty"
    case .foreign(let found):
      "not a resident file: expected \(Self.dump(ResidentHeader.magic)) at its start, found \(Self.dump(found))"
    case .formatVersion(let expected, let found):
      "format version \(found), expected \(expected): \(Self.age(found, than: expected))"
    case .kind(let expected, let found): "kind \(found), expected \(expected)"
    case .rowVersion(let expected, let found):
      "row version \(found), expected \(expected): \(Self.age(found, than: expected))"
    case .size(let expected, let found): "damaged: expected \(expected) bytes, found \(found)"
    case .headerChecksum(let expected, let found):
      "damaged: the header's CRC32C is \(Self.dump(found)), expected \(Self.dump(expected))"
    case .table(let text): "damaged: \(text)"
    case .sectionChecksum(let section, let expected, let found):
      "damaged: the CRC32C of section \(section) is \(Self.dump(found)), expected \(Self.dump(expected))"
    case .contentHash(let expected, let found): "damaged: the content's hash is \(found), expected \(expected)"
    case .missingSection(let section): "section \(section) is missing"
    case .contents(let text): "damaged: \(text)"
    }
  }

  private static func age(_ found: UInt32, than expected: UInt32) -> String {
    found < expected ? "written by an older program" : "written by a newer program"
  }

  private static func dump(_ bytes: [UInt8]) -> String {
    bytes.map { hexadecimal(UInt64($0), digits: 2) }.joined(separator: " ")
  }

  private static func dump(_ checksum: UInt32) -> String { hexadecimal(UInt64(checksum), digits: 8) }
}

/// Why a resident file cannot be used: which file, what is wrong, and what to do.
package struct ResidentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  package var path: String
  /// Its fault.
  package var fault: ResidentFault
  /// The command that rebuilds it.
  package var remedy: String
  /// Whether the file was being written or changed while it was read, so that it may be valid later.
  package var isTransient = false

  /// One line: `PATH: WHAT; rebuild it: COMMAND`.
  package var description: String { "\(path): \(fault); rebuild it: \(remedy)" }
}
