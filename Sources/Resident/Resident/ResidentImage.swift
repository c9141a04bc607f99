/// A resident file before it is written: its sections in their order, with the header that belongs to them.
///
/// ```swift
/// let image = ResidentImage(kind: kind, sourceHash: hash, sections: [("META", meta), ("ROWS", rows)])
/// try image.write(to: "/var/lib/cities/cities.index")
/// ```
///
/// The same kind, hash and sections give the same bytes. The sections are kept as they were given and copied only by the
/// system call that writes them.
package struct ResidentImage: Sendable {
  /// The header that belongs to the sections.
  package let header: ResidentHeader
  let sections: [[UInt8]]

  /// Lays out `sections` in the order given.
  ///
  /// - Precondition: at most ``ResidentHeader/maximumSections``, their names all different.
  /// - Complexity: O(bytes of all sections).
  package init(kind: ResidentKind, sourceHash: UInt64, sections: [(name: FourBytes, bytes: [UInt8])]) {
    precondition(sections.count <= ResidentHeader.maximumSections, "too many sections")
    precondition(Set(sections.map(\.name)).count == sections.count, "two sections share a name")
    self.sections = sections.map(\.bytes)
    var header = ResidentHeader(
      kind: kind.code, rowVersion: kind.rowVersion, fileSize: 0, sourceHash: sourceHash, contentHash: 0, sections: [])
    var end = UInt64(ResidentHeader.size + sections.count * ResidentHeader.entrySize)
    for (name, bytes) in sections {
      let start = ResidentHeader.aligned(end)
      header.sections.append(
        .init(name: name, checksum: CRC32C.checksum(of: bytes), offset: start, length: UInt64(bytes.count)))
      end = start + UInt64(bytes.count)
    }
    header.fileSize = end
    header.contentHash = Self.contentHash(header, self.sections)
    self.header = header
  }

  /// What a reader will call the content.
  package var generation: Generation { Generation(rawValue: header.contentHash) }

  /// Gives the file's bytes to `body`, piece by piece, in order.
  package func forEachPiece<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try Self.forEachPiece(head: header.encoded, header, sections, body)
  }

  /// The file's bytes in one array, for tests and small files.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    forEachPiece { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Puts the file in the place of what is at `path`, whole or not at all.
  ///
  /// - Throws: ``FileError`` if a system call failed; what was at `path` is untouched then.
  package func write(to path: String) throws(FileError) {
    try AtomicFile.replace(path) { (output) throws(FileError) in
      try forEachPiece { (piece) throws(FileError) in try output.write(piece) }
    }
  }

  /// The same for the file `name` in a folder that is open.
  package func write(_ name: String, in folder: OpenFolder) throws(FileError) {
    try AtomicFile.replace(name, in: folder) { (output) throws(FileError) in
      try forEachPiece { (piece) throws(FileError) in try output.write(piece) }
    }
  }

  private static func contentHash(_ header: ResidentHeader, _ sections: [[UInt8]]) -> UInt64 {
    var hash = XXH64()
    forEachPiece(head: header.encodedTable, header, sections) { hash.update($0) }
    return hash.value
  }

  /// `head`, then each section behind the zeros that align it.
  private static func forEachPiece<Failure: Error>(
    head: [UInt8], _ header: ResidentHeader, _ sections: [[UInt8]],
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let zeros = [UInt8](repeating: 0, count: ResidentHeader.alignment)
    try lend(head[...], to: body)
    var end = UInt64(ResidentHeader.size + sections.count * ResidentHeader.entrySize)
    for (entry, bytes) in zip(header.sections, sections) {
      try lend(zeros[..<Int(entry.offset - end)], to: body)
      try lend(bytes[...], to: body)
      end = entry.offset + entry.length
    }
  }

  private static func lend<Failure: Error>(
    _ bytes: ArraySlice<UInt8>, to body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    guard !bytes.isEmpty else { return }
    let result: Result<Void, Failure> = bytes.withUnsafeBytes { piece in
      do throws(Failure) { return .success(try body(piece)) } catch { return .failure(error) }
    }
    try result.get()
  }
}
