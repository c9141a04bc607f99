import CZlib

/// Reads a zip archive (PKWARE APPNOTE.TXT 6.3): its directory, and members that are stored or deflated.
///
/// ```swift
/// let archive = try ZipArchive(bytes)
/// try archive.forEachPiece(of: archive.members[0], limit: SourceFile.maximumBytes) { piece, done in … }
/// ```
///
/// Only the directory at the end counts, and everything it declares is checked against the actual bytes before
/// unpacking. Encrypted members, multi-part archives and those of 4 GiB or more (zip64) are refused with that reason.
package struct ZipArchive {
  /// Most members of an archive; lists come with one or two.
  package static let maximumMembers = 1_024
  /// Deflate expands a byte to at most this many, plus a constant (RFC 1951: a match of 258 bytes takes at least two
  /// bits); members that declare more are refused.
  private static let maximumRatio = 1_032
  private static let maximumRatioSlack = 258

  /// A file in an archive.
  package struct Member: Equatable, Sendable {
    /// Its name, with the folders before it.
    package var name: String
    /// Its unpacked size in bytes, as declared in the directory.
    package var unpackedCount: Int
    fileprivate var rawName: ArraySlice<UInt8>
    fileprivate var isEncrypted: Bool
    fileprivate var method: Int
    fileprivate var checksum: UInt32
    fileprivate var packedCount: Int
    fileprivate var offset: Int

    /// The name in messages.
    fileprivate var shownName: String { quotedJSON(name.excerpt(80)) }
  }

  /// The files, in the order of the directory; folders are left out.
  package private(set) var members: [Member] = []
  private let bytes: [UInt8]
  /// The position of the directory: all members end before it.
  private let directory: Range<Int>

  /// Whether `bytes` start like a zip archive: with a member, or with the end of an empty directory.
  package static func isArchive(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }

  /// Reads the directory of `bytes`.
  ///
  /// - Throws: ``PackingError`` if it is damaged or of an unsupported kind.
  /// - Complexity: O(1) in the bytes, O(m) in the members.
  package init(_ bytes: [UInt8]) throws(PackingError) {
    let end = try Self.end(of: bytes)
    (self.bytes, directory) = (bytes, end.directory)
    try readMembers(end.count)
  }

  /// Passes on the contents of a member piece by piece, each with the fraction of its packed bytes done.
  ///
  /// If it throws, discard the earlier pieces.
  ///
  /// - Throws: ``PackingError`` if it declares more than `limit` bytes, which is checked before unpacking, or if its
  ///   bytes contradict the directory; and any error of `body`.
  /// - Complexity: O(bytes packed and unpacked), in memory a piece.
  package func forEachPiece(
    of member: Member, limit: Int, _ body: (UnsafeRawBufferPointer, Double) throws(PackingError) -> Void
  ) throws(PackingError) {
    let name = member.shownName
    guard !member.isEncrypted else { throw .unsupported("\(name) is encrypted") }
    guard member.unpackedCount <= limit else {
      throw .tooLarge("\(name) in the zip archive has more than the \(limit) bytes that are accepted")
    }
    let wrongSize = PackingError.damaged("\(name) does not have the \(member.unpackedCount) bytes that are declared")
    let range = try range(of: member)
    var (count, checksum) = (0, crc32(0, nil, 0))
    func take(_ piece: UnsafeRawBufferPointer, _ done: Double) throws(PackingError) {
      count += piece.count
      guard count <= member.unpackedCount else { throw wrongSize }
      checksum = crc32(checksum, piece.bindMemory(to: UInt8.self).baseAddress, UInt32(piece.count))
      try body(piece, done)
    }
    try bytes.withBytes { (bytes) throws(PackingError) in
      let packed = UnsafeRawBufferPointer(rebasing: bytes[range])
      guard member.method == Method.deflated else { return try take(packed, 1) }
      let (most, overflows) = packed.count.multipliedReportingOverflow(by: Self.maximumRatio)
      guard overflows || member.unpackedCount <= most + Self.maximumRatioSlack else { throw wrongSize }
      let inflater = try Inflater(.none, "the zip archive is damaged: \(name)")
      inflater.take(packed)
      let isWhole = try inflater.inflate { (piece) throws(PackingError) in
        try take(piece, 1 - Double(inflater.remaining) / Double(max(packed.count, 1)))
      }
      guard isWhole, inflater.remaining == 0 else { throw wrongSize }
    }
    guard count == member.unpackedCount else { throw wrongSize }
    guard UInt32(truncatingIfNeeded: checksum) == member.checksum else {
      throw .damaged("the checksum of \(name) is wrong")
    }
  }

  /// The packed bytes of a member, which follow its own header.
  private func range(of member: Member) throws(PackingError) -> Range<Int> {
    let contradiction = PackingError.damaged("the header of \(member.shownName) contradicts the directory")
    let nameStart = member.offset + LocalHeader.count
    guard nameStart <= directory.lowerBound else { throw contradiction }
    let header = Record(bytes: bytes, start: member.offset)
    let nameEnd = nameStart + header.short(LocalHeader.nameCount)
    let start = nameEnd + header.short(LocalHeader.extraCount)
    guard header.long(0) == LocalHeader.signature, start + member.packedCount <= directory.lowerBound,
      header.short(LocalHeader.method) == member.method, bytes[nameStart..<nameEnd] == member.rawName
    else { throw contradiction }
    guard [Method.stored, Method.deflated].contains(member.method) else {
      throw .unsupported("\(member.shownName) is packed by method \(member.method); deflate and store are read")
    }
    return start..<start + member.packedCount
  }
}

// MARK: The directory

extension ZipArchive {
  /// Finds the record at the end of an archive, which a comment may follow (APPNOTE 4.3.16).
  private static func end(of bytes: [UInt8]) throws(PackingError) -> (directory: Range<Int>, count: Int) {
    let last = bytes.count - EndRecord.count
    let records = stride(from: last, through: max(0, last - Int(UInt16.max)), by: -1).lazy.map {
      Record(bytes: bytes, start: $0)
    }
    let found = records.first { record in
      record.long(0) == EndRecord.signature && record.short(EndRecord.commentCount) == last - record.start
    }
    guard let end = found else { throw .damaged("its directory is missing; the file is cut off") }
    let (count, size, start) = (end.short(EndRecord.members), end.long(EndRecord.size), end.long(EndRecord.start))
    guard count != UInt16.max, size != UInt32.max, start != UInt32.max else { throw .zip64 }
    guard end.short(EndRecord.disk) == 0, end.short(EndRecord.firstDisk) == 0, end.short(EndRecord.membersHere) == count
    else { throw .unsupported("it is one of several files of an archive") }
    guard start + size == end.start else { throw .damaged("its directory is not where its end says") }
    guard count <= maximumMembers else {
      throw .unsupported("it has \(count) files, at most \(maximumMembers) are accepted")
    }
    return (start..<end.start, count)
  }

  /// Reads the directory's entries.
  private mutating func readMembers(_ count: Int) throws(PackingError) {
    var position = directory.lowerBound
    for _ in 0..<count {
      let entry = Record(bytes: bytes, start: position)
      guard directory.upperBound - position >= Entry.count, entry.long(0) == Entry.signature else {
        throw .damaged("its directory has fewer entries than its end says")
      }
      let name = position + Entry.count..<position + Entry.count + entry.short(Entry.nameCount)
      position = name.upperBound + entry.short(Entry.extraCount) + entry.short(Entry.commentCount)
      guard position <= directory.upperBound else { throw .damaged("its directory is cut off") }
      let member = Member(
        name: String(decoding: bytes[name], as: UTF8.self), unpackedCount: entry.long(Entry.unpackedCount),
        rawName: bytes[name], isEncrypted: entry.short(Entry.flags) & 1 != 0, method: entry.short(Entry.method),
        checksum: UInt32(entry.long(Entry.checksum)), packedCount: entry.long(Entry.packedCount),
        offset: entry.long(Entry.offset))
      guard ![member.unpackedCount, member.packedCount, member.offset].contains(Int(UInt32.max)) else { throw .zip64 }
      if !member.name.hasSuffix("/") { members.append(member) }
    }
    guard position == directory.upperBound else {
      throw .damaged("its directory has more entries than its end says")
    }
  }

  /// A record of the archive, with little-endian numbers.
  private struct Record {
    let bytes: [UInt8]
    let start: Int

    func short(_ offset: Int) -> Int { Int(bytes.number(at: start + offset, as: UInt16.self)) }
    func long(_ offset: Int) -> Int { Int(bytes.number(at: start + offset, as: UInt32.self)) }
  }

  /// Offsets in the end record (APPNOTE 4.3.16).
  private enum EndRecord {
    static let signature = 0x0605_4B50
    static let (disk, firstDisk, membersHere, members, size, start, commentCount, count) = (4, 6, 8, 10, 12, 16, 20, 22)
  }

  /// Offsets in an entry of the directory (APPNOTE 4.3.12).
  private enum Entry {
    static let signature = 0x0201_4B50
    static let (flags, method, checksum, packedCount, unpackedCount) = (8, 10, 16, 20, 24)
    static let (nameCount, extraCount, commentCount, offset, count) = (28, 30, 32, 42, 46)
  }

  /// Offsets in the header of a member (APPNOTE 4.3.7).
  private enum LocalHeader {
    static let signature = 0x0403_4B50
    static let (method, nameCount, extraCount, count) = (8, 26, 28, 30)
  }

  /// Compression methods (APPNOTE 4.4.5).
  private enum Method {
    static let (stored, deflated) = (0, 8)
  }
}

extension PackingError {
  /// The archive's bytes contradict each other, or end too early; the clause says where.
  fileprivate static func damaged(_ clause: String) -> Self { .unreadable("the zip archive is damaged: \(clause)") }

  /// The archive uses an unsupported part of the format.
  static func unsupported(_ clause: String) -> Self { .unreadable("the zip archive cannot be read: \(clause)") }

  /// Sizes that do not fit in 32 bits.
  fileprivate static let zip64 = unsupported("it is in the form for files of 4 GiB and more (zip64)")
}
