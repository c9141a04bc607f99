/// The header of a resident file: its kind and versions, and where its sections are.
///
/// All numbers are little-endian; every unused byte is zero, which readers check.
///
/// | Offset | Bytes | Meaning |
/// |---|---|---|
/// | 0 | 8 | magic `89 43 54 59 0D 0A 1A 0A`: no text file, and a text-mode copy shows (idea: PNG, RFC 2083 §12.11) |
/// | 8 | 4 | format version, ``formatVersion`` |
/// | 12 | 4 | kind, as `CITY` |
/// | 16 | 4 | row schema version of the kind |
/// | 20 | 4 | number of sections, at most ``maximumSections`` |
/// | 24 | 8 | size of the whole file in bytes |
/// | 32 | 8 | fingerprint: XXH64 of what the file was made from, see ``ResidentOrigin`` |
/// | 40 | 8 | content hash: XXH64 of every byte after this header; it is the ``Generation`` |
/// | 48 | 12 | zero |
/// | 60 | 4 | CRC32C of bytes 0 to 59 and of the section table |
/// | 64 | 24 · n | section table: name (4), CRC32C (4), offset (8), length (8), in the order of the offsets |
/// | | | sections, each at the next multiple of ``alignment``, with zeros between; the last one ends the file |
///
/// The sections determine the layout, so the same input gives the same bytes, and a reader detects any flipped bit.
/// Nothing in the file depends on the time, the machine or the path.
package struct ResidentHeader: Equatable, Sendable {
  /// The first eight bytes of every resident file.
  package static let magic: [UInt8] = [0x89, 0x43, 0x54, 0x59, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The layout that this build writes and reads.
  package static let formatVersion: UInt32 = 1
  /// Bytes before the section table.
  package static let size = 64
  /// Bytes of an entry of the section table.
  package static let entrySize = 24
  /// Sections start at multiples of this: a cache line, so no load of an aligned array is split.
  package static let alignment = 64
  /// Most sections of a file; checked before the table is read.
  package static let maximumSections = 64

  /// Its kind.
  package var kind: FourBytes
  /// The version of the kind's rows.
  package var rowVersion: UInt32
  /// Size of the whole file.
  package var fileSize: UInt64
  /// The ``ResidentOrigin/fingerprint`` of the file's inputs.
  package var fingerprint: UInt64
  /// XXH64 of everything after the header.
  package var contentHash: UInt64
  /// The sections in the order of their offsets.
  package var sections: [Section]

  /// An entry of the section table.
  package struct Section: Equatable, Sendable {
    /// Its name.
    package var name: FourBytes
    /// CRC32C of its bytes.
    package var checksum: UInt32
    /// Where it starts, from the start of the file.
    package var offset: UInt64
    /// Its length in bytes, without padding.
    package var length: UInt64
  }

  /// `offset`, or the next multiple of ``alignment``.
  package static func aligned(_ offset: UInt64) -> UInt64 {
    let mask = UInt64(alignment - 1)
    return (offset + mask) & ~mask
  }
}

extension ResidentHeader {
  /// Header and section table as stored in the file.
  package var encoded: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.formatVersion)
    bytes.append(littleEndian: kind.rawValue)
    bytes.append(littleEndian: rowVersion)
    bytes.append(littleEndian: UInt32(sections.count))
    bytes.append(littleEndian: fileSize)
    bytes.append(littleEndian: fingerprint)
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

  /// Offsets of the fields.
  enum Field {
    static let formatVersion = 8
    static let kind = 12
    static let rowVersion = 16
    static let sectionCount = 20
    static let fileSize = 24
    static let fingerprint = 32
    static let contentHash = 40
    static let reserved = 48
    static let checksum = 60
  }
}

extension ResidentHeader {
  /// Reads and checks the header and section table of the whole `file`.
  ///
  /// Safe for arbitrary bytes: everything is checked before use. The caller checks kind and row version by
  /// ``require(_:)``.
  ///
  /// - Throws: ``ResidentFault`` with expected and found.
  /// - Complexity: O(number of sections).
  package init(of file: UnsafeRawBufferPointer) throws(ResidentFault) {
    guard !file.isEmpty else { throw .empty }
    guard file.prefix(Self.magic.count).elementsEqual(Self.magic.prefix(file.count)) else {
      throw .foreign(found: Array(file.prefix(Self.magic.count)))
    }
    guard file.count >= Self.size else { throw .size(expected: UInt64(Self.size), found: UInt64(file.count)) }
    let version = file.load(littleEndian: UInt32.self, at: Field.formatVersion)
    guard version == Self.formatVersion else {
      throw .formatVersion(expected: Self.formatVersion, found: version)
    }
    let count = file.load(littleEndian: UInt32.self, at: Field.sectionCount)
    guard count <= Self.maximumSections, Self.size + Int(count) * Self.entrySize <= file.count else {
      throw .table("it declares \(count) sections; at most \(Self.maximumSections) that fit the file were expected")
    }
    try Self.checkHeaderChecksum(file, tableSize: Int(count) * Self.entrySize)
    kind = FourBytes(rawValue: file.load(littleEndian: UInt32.self, at: Field.kind))
    rowVersion = file.load(littleEndian: UInt32.self, at: Field.rowVersion)
    fileSize = file.load(littleEndian: UInt64.self, at: Field.fileSize)
    fingerprint = file.load(littleEndian: UInt64.self, at: Field.fingerprint)
    contentHash = file.load(littleEndian: UInt64.self, at: Field.contentHash)
    sections = (0..<Int(count)).map { Section(file, at: Self.size + $0 * Self.entrySize) }
    guard fileSize == UInt64(file.count) else { throw .size(expected: fileSize, found: UInt64(file.count)) }
    guard file[Field.reserved..<Field.checksum].allSatisfy({ $0 == 0 }) else {
      throw .table("the reserved bytes of the header are not zero")
    }
    try checkLayout()
  }

  /// Checks for a kind and its row version.
  ///
  /// - Throws: ``ResidentFault`` with expected and found.
  package func require(_ expected: ResidentKind) throws(ResidentFault) {
    guard kind == expected.code else { throw .kind(expected: expected.code, found: kind) }
    guard rowVersion == expected.rowVersion else {
      throw .rowVersion(expected: expected.rowVersion, found: rowVersion)
    }
  }

  private static func checkHeaderChecksum(_ file: UnsafeRawBufferPointer, tableSize: Int) throws(ResidentFault) {
    var checksum = CRC32C.Running()
    checksum.update(UnsafeRawBufferPointer(rebasing: file[..<Field.checksum]))
    checksum.update(UnsafeRawBufferPointer(rebasing: file[size..<(size + tableSize)]))
    let declared = file.load(littleEndian: UInt32.self, at: Field.checksum)
    guard checksum.value == declared else { throw .headerChecksum(expected: declared, found: checksum.value) }
  }

  /// Checks for the only layout that the writer produces: in bounds, in order, aligned, not overlapping.
  private func checkLayout() throws(ResidentFault) {
    var end = UInt64(Self.size + sections.count * Self.entrySize)
    for section in sections {
      let start = Self.aligned(end)
      guard section.offset == start else {
        throw .table("section \(section.name) begins at \(section.offset), expected \(start)")
      }
      guard start <= fileSize, section.length <= fileSize - start else {
        throw .table("section \(section.name) of \(section.length) bytes ends after the file of \(fileSize) bytes")
      }
      end = start + section.length
    }
    guard end == fileSize else { throw .table("the last section ends at \(end), the file at \(fileSize)") }
    guard Set(sections.map(\.name)).count == sections.count else { throw .table("two sections share a name") }
  }
}

extension ResidentHeader.Section {
  fileprivate init(_ file: UnsafeRawBufferPointer, at offset: Int) {
    name = FourBytes(rawValue: file.load(littleEndian: UInt32.self, at: offset))
    checksum = file.load(littleEndian: UInt32.self, at: offset + 4)
    self.offset = file.load(littleEndian: UInt64.self, at: offset + 8)
    length = file.load(littleEndian: UInt64.self, at: offset + 16)
  }
}
