/// The head of a resident file: who it is, and where its sections are.
///
/// All numbers are little-endian; every byte that has no meaning is zero, and readers insist on it.
///
/// | Offset | Bytes | Meaning |
/// |---|---|---|
/// | 0 | 8 | magic `89 43 54 59 0D 0A 1A 0A`: no text file, and a text-mode copy shows (idea: PNG, RFC 2083 §12.11) |
/// | 8 | 4 | format version, ``formatVersion`` |
/// | 12 | 4 | kind, as `CITY` |
/// | 16 | 4 | row schema version of the kind |
/// | 20 | 4 | number of sections, at most ``maximumSections`` |
/// | 24 | 8 | size of the whole file in bytes |
/// | 32 | 8 | source hash: XXH64 of the bytes that the file was made from |
/// | 40 | 8 | content hash: XXH64 of every byte behind this header; it is the ``Generation`` |
/// | 48 | 12 | zero |
/// | 60 | 4 | CRC32C of bytes 0 to 59 and of the section table |
/// | 64 | 24 · n | section table: name (4), CRC32C (4), offset (8), length (8), in the order of the offsets |
/// | | | sections, each at the next multiple of ``alignment``, with zeros between; the last one ends the file |
///
/// The layout is a function of the sections, so the same input gives the same bytes, and a reader can tell every bit
/// that is not as the writer left it. Nothing in the file depends on the time, the machine or the path.
package struct ResidentHeader: Equatable, Sendable {
  /// The first eight bytes of every resident file.
  package static let magic: [UInt8] = [0x89, 0x43, 0x54, 0x59, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The layout that this build writes and reads.
  package static let formatVersion: UInt32 = 1
  /// Bytes in front of the section table.
  package static let size = 64
  /// Bytes of one line of the section table.
  package static let entrySize = 24
  /// Sections begin at multiples of this: a cache line, so no load of an aligned array is split.
  package static let alignment = 64
  /// Sections a file may have; checked before the table is looked at.
  package static let maximumSections = 64

  /// The kind.
  package var kind: FourBytes
  /// The version of the kind's rows.
  package var rowVersion: UInt32
  /// Size of the whole file.
  package var fileSize: UInt64
  /// XXH64 of the source.
  package var sourceHash: UInt64
  /// XXH64 of everything behind the header.
  package var contentHash: UInt64
  /// The sections in the order of their offsets.
  package var sections: [Section]

  /// A line of the section table.
  package struct Section: Equatable, Sendable {
    /// Its name.
    package var name: FourBytes
    /// CRC32C of its bytes.
    package var checksum: UInt32
    /// Where it begins, from the start of the file.
    package var offset: UInt64
    /// Its bytes, without what follows to fill up.
    package var length: UInt64
  }

  /// Where the first section begins if there are `sections` of them.
  package static func contentStart(sections: Int) -> UInt64 {
    aligned(UInt64(size + sections * entrySize))
  }

  /// `offset`, or the next multiple of ``alignment``.
  package static func aligned(_ offset: UInt64) -> UInt64 {
    let mask = UInt64(alignment - 1)
    return (offset + mask) & ~mask
  }
}

extension ResidentHeader {
  /// Header and section table as they stand in the file.
  package var encoded: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.formatVersion)
    bytes.append(littleEndian: kind.rawValue)
    bytes.append(littleEndian: rowVersion)
    bytes.append(littleEndian: UInt32(sections.count))
    bytes.append(littleEndian: fileSize)
    bytes.append(littleEndian: sourceHash)
    bytes.append(littleEndian: contentHash)
    bytes.append(contentsOf: [UInt8](repeating: 0, count: Field.checksum - bytes.count))
    let table = encodedTable
    bytes.append(littleEndian: CRC32C.checksum(of: bytes + table))
    return bytes + table
  }

  /// The section table alone.
  package var encodedTable: [UInt8] {
    sections.reduce(into: []) { bytes, section in
      bytes.append(littleEndian: section.name.rawValue)
      bytes.append(littleEndian: section.checksum)
      bytes.append(littleEndian: section.offset)
      bytes.append(littleEndian: section.length)
    }
  }

  /// Where the fields stand.
  enum Field {
    static let formatVersion = 8
    static let kind = 12
    static let rowVersion = 16
    static let sectionCount = 20
    static let fileSize = 24
    static let sourceHash = 32
    static let contentHash = 40
    static let reserved = 48
    static let checksum = 60
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
