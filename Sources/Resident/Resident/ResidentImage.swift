package import Folders
package import System

/// A resident file before it is written: its sections in order, and their header.
///
/// ```swift
/// let image = ResidentImage(kind: kind, fingerprint: origin.fingerprint, sections: [("META", meta), ("ROWS", rows)])
/// try image.write(to: "/var/lib/cities/cities.index")
/// ```
///
/// The same kind, fingerprint and sections give the same bytes. The sections stay in memory or in a temporary file
/// (``SectionGatherer``), and only the writing system call copies them.
package struct ResidentImage: Sendable {
  /// The header for the sections.
  package let header: ResidentHeader
  let sections: [SectionBytes]

  /// Lays out `sections` in the given order, followed by ``BlockSums`` if they need more than a block.
  ///
  /// - Precondition: at most ``ResidentHeader/maximumSections``, with unique names other than that of the sums.
  /// - Complexity: O(bytes of all sections).
  package init(kind: ResidentKind, fingerprint: UInt64, sections: [(name: FourBytes, bytes: [UInt8])]) {
    self.init(kind: kind, fingerprint: fingerprint, gathered: sections.map { ($0.name, SectionBytes($0.bytes)) })
  }

  /// Lays out gathered sections.
  init(kind: ResidentKind, fingerprint: UInt64, gathered sections: [(name: FourBytes, bytes: SectionBytes)]) {
    precondition(sections.count <= ResidentHeader.maximumSections, "too many sections")
    precondition(Set(sections.map(\.name) + [BlockSums.section]).count > sections.count, "two sections share a name")
    var header = ResidentHeader(
      kind: kind.code, rowVersion: kind.rowVersion, fileSize: 0, fingerprint: fingerprint, contentHash: 0, sections: [])
    var all = sections
    let hasRoom = sections.count < ResidentHeader.maximumSections
    if hasRoom, sections.reduce(0, { $0 + $1.bytes.count }) > BlockSums.blockSize {
      let first = ResidentHeader.size + (sections.count + 1) * ResidentHeader.entrySize
      header.lay(sections, from: first)
      // The zeros that align the section of sums are summed too.
      let end = Int(header.sections.last.map { $0.offset + $0.length } ?? 0)
      let padding = [UInt8](repeating: 0, count: Int(ResidentHeader.aligned(UInt64(end))) - end)
      let sums = BlockSums.encoded(first: first) { take in
        Self.forEachPiece(head: [], header, sections.map(\.bytes), from: first, take)
        padding.withUnsafeBytes(take)
      }
      all.append((name: BlockSums.section, bytes: SectionBytes(sums)))
    }
    header.lay(all, from: ResidentHeader.size + all.count * ResidentHeader.entrySize)
    self.sections = all.map(\.bytes)
    header.contentHash = Self.contentHash(header, self.sections)
    self.header = header
  }

  /// The generation that readers will see.
  package var generation: Generation { Generation(rawValue: header.contentHash) }

  /// Calls `body` with the file's bytes, piece by piece, in order.
  ///
  /// - Throws: any error of `body`.
  package func forEachPiece<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try Self.forEachPiece(
      head: header.encoded, header, sections, from: ResidentHeader.size + sections.count * ResidentHeader.entrySize,
      body)
  }

  /// The file's bytes in one array, for tests and small files.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    forEachPiece { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Replaces the file at `path` atomically.
  ///
  /// - Throws: ``SystemError`` if a system call failed; an old file at `path` is untouched then.
  package func write(to path: String) throws(SystemError) {
    try write(fileName(of: path), in: OpenFolder(parentFolder(of: path), isOwn: false))
  }

  /// Replaces the file `name` in an open folder.
  ///
  /// - Throws: as ``write(to:)``.
  package func write(_ name: String, in folder: OpenFolder) throws(SystemError) {
    try prepare(name, in: folder).rename()
  }

  /// Writes the new file that is to replace `name` in an open folder.
  ///
  /// - Throws: as ``write(to:)``.
  package func prepare(_ name: String, in folder: OpenFolder) throws(SystemError) -> PreparedFile {
    // The server is another user, and the umask is root's.
    let isExact = FolderOwner.startingUser == 0
    return try PreparedFile(name, in: folder, isExact: isExact) { (output) throws(SystemError) in
      try forEachPiece { (piece) throws(SystemError) in try output.write(piece) }
    }
  }

  private static func contentHash(_ header: ResidentHeader, _ sections: [SectionBytes]) -> UInt64 {
    var hash = XXH64()
    let first = ResidentHeader.size + sections.count * ResidentHeader.entrySize
    forEachPiece(head: header.encodedTable, header, sections, from: first) { hash.update($0) }
    return hash.value
  }

  /// Passes on `head`, then from the offset `first` each section, preceded by the zeros that align it.
  private static func forEachPiece<Failure: Error>(
    head: [UInt8], _ header: ResidentHeader, _ sections: [SectionBytes], from first: Int,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let zeros = [UInt8](repeating: 0, count: ResidentHeader.alignment)
    try head[...].passBytes(to: body)
    var end = UInt64(first)
    for (entry, bytes) in zip(header.sections, sections) {
      try zeros[..<Int(entry.offset - end)].passBytes(to: body)
      try bytes.forEachPiece(body)
      end = entry.offset + entry.length
    }
  }
}

extension ResidentImage {
  /// The first difference between this image, rebuilt from a file's records, and that file; `nil` if they are equal.
  ///
  /// The same records give the same bytes, so comparing the image verifies every order, trie, column and offset at
  /// once: a difference is something the importer would not have written.
  ///
  /// - Complexity: O(size of the file).
  package func difference(from file: ResidentFile) -> String? {
    let (expected, found) = (header.sections.map(\.name), file.header.sections.map(\.name))
    guard expected == found else {
      return "the sections are \(Self.list(found)), expected \(Self.list(expected))"
    }
    for (section, bytes) in zip(expected, sections) {
      guard let other = file[section] else { return "section \(section) is missing" }
      if let problem = Self.difference(bytes, other) { return "section \(section): \(problem)" }
    }
    return header == file.header ? nil : "the header is not the one that belongs to these sections"
  }

  private static func difference(_ expected: SectionBytes, _ found: UnsafeRawBufferPointer) -> String? {
    guard expected.count == found.count else {
      return "\(found.count) bytes; the rows give \(expected.count)"
    }
    var (start, difference): (Int, String?) = (0, nil)
    expected.forEachPiece { piece in
      let other = UnsafeRawBufferPointer(rebasing: found[start..<start + piece.count])
      if difference == nil, let index = zip(piece, other).enumerated().first(where: { $1.0 != $1.1 })?.offset {
        difference =
          "byte \(start + index) is \(hexadecimal(UInt64(other[index]), digits: 2)); "
          + "the rows give \(hexadecimal(UInt64(piece[index]), digits: 2))"
      }
      start += piece.count
    }
    return difference
  }

  private static func list(_ names: [FourBytes]) -> String { names.map(\.description).joined(separator: ", ") }
}

extension ResidentHeader {
  /// Lays out `sections` consecutively from the offset `first`, with their checksums.
  fileprivate mutating func lay(_ sections: [(name: FourBytes, bytes: SectionBytes)], from first: Int) {
    var end = UInt64(first)
    self.sections = sections.map { name, bytes in
      let start = Self.aligned(end)
      end = start + UInt64(bytes.count)
      return Section(name: name, checksum: bytes.checksum, offset: start, length: UInt64(bytes.count))
    }
    fileSize = end
  }
}
