import CBOR
package import Folders

/// A resident file, checked and mapped read-only: a server answers from its bytes without parsing them.
///
/// ```swift
/// let file = try ResidentFile(path: "/var/lib/cities/cities.index", kind: ResidentCities.kind)
/// let rows = file["ROWS"]  // a view of the page cache, valid as long as `file` lives
/// ```
///
/// ``ResidentHeader`` describes the layout. A resident file is written once, by ``ResidentImage``, and never changed: a
/// new one replaces it by rename(2), and a mapping keeps the old bytes. A program with write access that changes the
/// file in place changes the mapping too: ``lease`` prevents that while it is held; otherwise ``state`` reveals it, and
/// ``hasFaulted`` is true if the file was truncated and zeros were read instead.
///
/// Checksums detect accidents only. Bytes with a correct checksum are still untrusted, so a reader checks every offset
/// against the section's bounds.
///
/// `Sendable` because its properties are constants, and the mapped bytes are read-only.
package final class ResidentFile: @unchecked Sendable {
  /// How much is checked on opening, besides the header and section table.
  package enum Verification: Sendable {
    /// Sections too.
    case all
    /// Each block on first use, if the file has ``BlockSums`` and ``MappingFaults`` is installed; else like `all`.
    ///
    /// A block that does not match reads as zeros, and ``ResidentFile/hasFaulted`` is true. Until ``verify(_:)`` has
    /// checked the whole file, only the thread that opened it may read it, and its memory must not be passed to system
    /// calls.
    case onUse
    /// The owner calls ``ResidentFile/verifySections()`` before it relies on them.
    case header
  }

  /// The path it was opened at, where a newer file may be by now.
  package let path: String
  /// The kind it was opened as.
  package let kind: ResidentKind
  /// The header, checked.
  package let header: ResidentHeader
  /// The whole file.
  package let bytes: UnsafeRawBufferPointer
  private let mapped: GuardedFile
  /// Whether blocks are compared on first use.
  private let isCovered: Bool

  /// Opens, maps and checks the file at `path`; `isLeased` takes its ``lease`` first, if it is granted.
  ///
  /// - Throws: ``ResidentError``, with the expected and the found value and the command that rebuilds the file.
  /// - Complexity: O(size) for the sections that are checked (15 GB/s, if they are in the page cache), else
  ///   O(sections).
  package convenience init(
    path: String, kind: ResidentKind, verify: Verification = .all, isLeased: Bool = false
  ) throws(ResidentError) {
    try self.init(path, kind, verify) { () throws(ResidentFault) in try GuardedFile(path, isLeased: isLeased) }
  }

  /// Opens, maps and checks the kind's file in an open folder.
  package convenience init(
    in folder: OpenFolder, kind: ResidentKind, verify: Verification
  ) throws(ResidentError) {
    try self.init("\(folder.path)/\(kind.fileName)", kind, verify) { () throws(ResidentFault) in
      try GuardedFile(kind.fileName, in: folder)
    }
  }

  private init(
    _ path: String, _ kind: ResidentKind, _ verify: Verification,
    map: () throws(ResidentFault) -> GuardedFile
  ) throws(ResidentError) {
    let mapped: GuardedFile
    do { mapped = try map() } catch { throw ResidentError(path: path, fault: error, remedy: kind.remedy) }
    do throws(ResidentFault) {
      bytes = mapped.bytes
      guard bytes.count <= kind.maximumBytes else {
        throw .table("\(bytes.count) bytes, expected \(kind.maximumBytes) at most")
      }
      header = try ResidentHeader(of: bytes)
      try header.require(kind)
      isCovered = verify == .onUse ? try Self.cover(mapped, header) : false
      if verify == .all || verify == .onUse && !isCovered { try header.verifySections(in: bytes) }
    } catch {
      throw ResidentError(path: path, fault: error, remedy: kind.remedy, isTransient: mapped.mayImprove)
    }
    self.mapped = mapped
    self.path = path
    self.kind = kind
  }

  /// The state of the file when it was opened.
  package var identity: FileIdentity { mapped.identity }
  /// The state of the same file now, wherever its name leads; nil if unknown.
  package var state: FileIdentity? { mapped.state }
  /// Whether zeros were read instead of missing pages or damaged blocks; see ``MappingFaults``.
  package var hasFaulted: Bool { mapped.hasFaulted }

  /// Whether a block did not match its checksum.
  package var isDamaged: Bool { mapped.isDamaged }

  /// The fault of the section with a block that did not match its checksum; `nil` if none was found.
  ///
  /// - Complexity: O(1), or O(size of the file) if there is one.
  package var damage: ResidentFault? {
    guard isDamaged else { return nil }
    do { try header.verifySections(in: bytes) } catch { return error }
    return .contents("a block does not match its checksum in section \(BlockSums.section)")
  }

  /// The number of blocks for ``verify(_:)``; 0 if all bytes were compared on opening.
  package var unverifiedBlocks: Int { isCovered ? (bytes.count + BlockSums.blockSize - 1) / BlockSums.blockSize : 0 }

  /// Compares the checksums of `blocks`; ``isDamaged`` is the result.
  ///
  /// - Complexity: O(blocks), about 12 µs each.
  package func verify(_ blocks: Range<Int>) {
    let part = blocks.clamped(to: 0..<unverifiedBlocks)
    let end = min(part.upperBound * BlockSums.blockSize, bytes.count)
    guard part.lowerBound * BlockSums.blockSize < end else { return }
    mapped.touch(UnsafeRawBufferPointer(rebasing: bytes[(part.lowerBound * BlockSums.blockSize)..<end]))
  }

  /// Sets up the comparison of blocks on first use, if the file has sums.
  private static func cover(_ mapped: GuardedFile, _ header: ResidentHeader) throws(ResidentFault) -> Bool {
    guard let range = try BlockSums.range(in: header), let entry = header.sections.last else { return false }
    try entry.verify(in: mapped.bytes)
    return mapped.cover(range, entry.slice(of: mapped.bytes))
  }

  /// The state of the lease before the first read; nil if none was requested.
  package var leaseAtOpening: FileLease.Outcome? { mapped.leaseAtOpening }
  /// Whether the bytes that were read are the file's content: nobody wrote to it meanwhile.
  package var isSettled: Bool { mapped.isSettled }
  /// The lease that keeps others from changing the file.
  package var lease: FileLease { mapped.lease }

  /// The hash of the file's content.
  package var generation: Generation { Generation(rawValue: header.contentHash) }

  /// The bytes of a section, `nil` if the file has none of that name; valid as long as the file object lives.
  ///
  /// - Complexity: O(number of sections).
  package subscript(name: FourBytes) -> UnsafeRawBufferPointer? {
    header.sections.first { $0.name == name }.map { $0.slice(of: bytes) }
  }

  /// The bytes of a section that the kind requires.
  package func section(_ name: FourBytes) throws(ResidentError) -> UnsafeRawBufferPointer {
    guard let section = self[name] else { throw error(.missingSection(name)) }
    return section
  }

  /// The value that a section holds in CBOR.
  ///
  /// - Throws: ``ResidentError`` if there is no such section, or it holds something else.
  package func value<Value: Decodable>(in name: FourBytes) throws(ResidentError) -> Value {
    let bytes = try section(name)
    // `bytes` borrows from the mapping, which ends with the last use of the file.
    let value = withExtendedLifetime(self) { Result { try CBORDecoder().decode(Value.self, from: bytes.bytes) } }
    do { return try value.get() } catch { throw self.error(.contents("section \(name): \(error)")) }
  }

  /// Checks that an index holds as many records as its file declares.
  ///
  /// - Throws: ``ResidentError`` with both numbers.
  func requireRecords(_ declared: UInt64, held: Int) throws(ResidentError) {
    guard declared == UInt64(held) else {
      throw error(.contents("\(declared) records are declared, the index holds \(held)"))
    }
  }

  /// Checks that the file equals `image`, byte for byte.
  ///
  /// - Throws: ``ResidentError`` with the section and the first difference in it.
  func requireEqual(to image: @autoclosure () throws -> ResidentImage) throws(ResidentError) {
    let made: ResidentImage
    do { made = try image() } catch { throw contradiction("\(error)") }
    if let difference = made.difference(from: self) { throw contradiction(difference) }
  }

  func contradiction(_ problem: String) -> ResidentError { error(.contents(problem)) }

  /// Compares the checksums of all sections, and checks that the bytes between them are zero.
  ///
  /// - Complexity: O(size of the file).
  package func verifySections() throws(ResidentError) {
    do { try header.verifySections(in: bytes) } catch { throw self.error(error) }
  }

  /// Compares the checksums of all sections and the content hash, for `citiesd-sync verify`.
  ///
  /// - Complexity: O(size of the file).
  package func verifyContent() throws(ResidentError) {
    try verifySections()
    let found = XXH64.hash(of: UnsafeRawBufferPointer(rebasing: bytes[ResidentHeader.size...]))
    guard found == header.contentHash else {
      throw error(.contentHash(expected: generation, found: Generation(rawValue: found)))
    }
  }

  /// `fault` with this file's path and remedy.
  package func error(_ fault: ResidentFault) -> ResidentError {
    ResidentError(path: path, fault: fault, remedy: kind.remedy, isTransient: mapped.mayImprove)
  }
}

extension ResidentHeader {
  fileprivate func verifySections(in file: UnsafeRawBufferPointer) throws(ResidentFault) {
    var end = Self.size + sections.count * Self.entrySize
    for section in sections {
      guard file[end..<Int(section.offset)].allSatisfy({ $0 == 0 }) else {
        throw .table("the bytes before section \(section.name) are not zero")
      }
      try section.verify(in: file)
      end = Int(section.offset + section.length)
    }
  }
}

extension ResidentHeader.Section {
  fileprivate func verify(in file: UnsafeRawBufferPointer) throws(ResidentFault) {
    let found = CRC32C.checksum(of: slice(of: file))
    guard found == checksum else { throw .sectionChecksum(section: name, expected: checksum, found: found) }
  }

  /// The section's bytes; the header's checks guarantee that it is inside `file`.
  fileprivate func slice(of file: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: file[Int(offset)..<Int(offset + length)])
  }
}
