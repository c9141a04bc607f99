extension ResidentHeader {
  /// Reads and checks header and section table at the start of `file`, which holds the whole file.
  ///
  /// Every check stands before the use of what it checks, so any bytes may be given. Kind and row version are the
  /// caller's to judge; see ``require(_:)``.
  ///
  /// - Throws: ``ResidentFault`` with expected and found.
  /// - Complexity: O(number of sections).
  package init(of file: UnsafeRawBufferPointer) throws(ResidentFault) {
    guard !file.isEmpty else { throw .empty }
    guard file.prefix(Self.magic.count).elementsEqual(Self.magic.prefix(file.count)) else {
      throw .foreign(found: Array(file.prefix(Self.magic.count)))
    }
    guard file.count >= Self.size else { throw .size(expected: UInt64(Self.size), found: UInt64(file.count)) }
    let version = file.number(UInt32.self, at: Field.formatVersion)
    guard version == Self.formatVersion else {
      throw .formatVersion(expected: Self.formatVersion, found: version)
    }
    let count = file.number(UInt32.self, at: Field.sectionCount)
    guard count <= Self.maximumSections, Self.size + Int(count) * Self.entrySize <= file.count else {
      throw .table("it declares \(count) sections; at most \(Self.maximumSections) that fit the file were expected")
    }
    try Self.checkHeaderChecksum(file, tableSize: Int(count) * Self.entrySize)
    kind = FourBytes(rawValue: file.number(UInt32.self, at: Field.kind))
    rowVersion = file.number(UInt32.self, at: Field.rowVersion)
    fileSize = file.number(UInt64.self, at: Field.fileSize)
    sourceHash = file.number(UInt64.self, at: Field.sourceHash)
    contentHash = file.number(UInt64.self, at: Field.contentHash)
    sections = (0..<Int(count)).map { Section(file, at: Self.size + $0 * Self.entrySize) }
    guard fileSize == UInt64(file.count) else { throw .size(expected: fileSize, found: UInt64(file.count)) }
    guard file[Field.reserved..<Field.checksum].allSatisfy({ $0 == 0 }) else {
      throw .table("the reserved bytes of the header are not zero")
    }
    try checkLayout(in: file)
  }

  /// Insists on a kind and its row version.
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
    let declared = file.number(UInt32.self, at: Field.checksum)
    guard checksum.value == declared else { throw .headerChecksum(expected: declared, found: checksum.value) }
  }

  /// The one layout that the writer gives these sections: in bounds, in order, aligned, not overlapping, zeros between.
  private func checkLayout(in file: UnsafeRawBufferPointer) throws(ResidentFault) {
    var end = UInt64(Self.size + sections.count * Self.entrySize)
    for section in sections {
      let start = Self.aligned(end)
      guard section.offset == start else {
        throw .table("section \(section.name) begins at \(section.offset), expected \(start)")
      }
      guard start <= fileSize, section.length <= fileSize - start else {
        throw .table("section \(section.name) of \(section.length) bytes ends behind the file of \(fileSize) bytes")
      }
      guard file[Int(end)..<Int(start)].allSatisfy({ $0 == 0 }) else {
        throw .table("the bytes in front of section \(section.name) are not zero")
      }
      end = start + section.length
    }
    guard end == fileSize else { throw .table("the last section ends at \(end), the file at \(fileSize)") }
    guard Set(sections.map(\.name)).count == sections.count else { throw .table("two sections share a name") }
  }
}

extension ResidentHeader.Section {
  fileprivate init(_ file: UnsafeRawBufferPointer, at offset: Int) {
    name = FourBytes(rawValue: file.number(UInt32.self, at: offset))
    checksum = file.number(UInt32.self, at: offset + 4)
    self.offset = file.number(UInt64.self, at: offset + 8)
    length = file.number(UInt64.self, at: offset + 16)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func number<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
