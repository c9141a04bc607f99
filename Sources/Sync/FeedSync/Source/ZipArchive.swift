import Base
import CZlib

/// Reads a zip archive (PKWARE APPNOTE.TXT 6.3): its directory, and members that are stored or deflated.
///
/// ```swift
/// let archive = try ZipArchive(bytes)
/// let text = try archive.unpack(archive.members[0], limit: SourceFile.maximumBytes)
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
    fileprivate var rawName: [UInt8]
    fileprivate var flags: UInt16
    fileprivate var method: UInt16
    fileprivate var checksum: UInt32
    fileprivate var packedCount: Int
    fileprivate var offset: Int
  }

  /// The files, in the order of the directory; folders are left out.
  package private(set) var members: [Member] = []
  private let bytes: [UInt8]
  /// Where the directory starts: all members end before it.
  private var directoryStart = 0

  /// Whether `bytes` start like a zip archive: with a member, or with the end of an empty directory.
  package static func isArchive(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }

  /// Reads the directory of `bytes`.
  ///
  /// - Throws: ``PackingError`` if it is damaged or of an unsupported kind.
  /// - Complexity: O(1) in the bytes, O(m) in the members.
  package init(_ bytes: [UInt8]) throws(PackingError) {
    self.bytes = bytes
    let result: Result<([Member], Int), PackingError> = bytes.withUnsafeBytes { bytes in
      Result { () throws(PackingError) in
        let end = try Self.end(of: bytes)
        return (try Self.members(of: bytes, end), end.start)
      }
    }
    (members, directoryStart) = try result.get()
  }

  /// The contents of a member.
  ///
  /// - Throws: ``PackingError`` if it declares more than `limit` bytes, which is checked before unpacking, or if its
  ///   bytes contradict the directory.
  /// - Complexity: O(bytes packed and unpacked).
  package func unpack(_ member: Member, limit: Int) throws(PackingError) -> [UInt8] {
    var unpacked: [UInt8] = []
    try forEachPiece(of: member, limit: limit) { piece, _ in unpacked.append(contentsOf: piece) }
    return unpacked
  }

  /// Passes on the contents of a member piece by piece, each with the fraction of its packed bytes done.
  ///
  /// If it throws, discard the earlier pieces.
  ///
  /// - Throws: as ``unpack(_:limit:)``.
  /// - Complexity: O(bytes packed and unpacked), in memory a piece.
  func forEachPiece(
    of member: Member, limit: Int, _ body: (UnsafeRawBufferPointer, Double) -> Void
  ) throws(PackingError) {
    guard member.flags & Flags.encrypted == 0 else { throw .unsupported("\(member.shownName) is encrypted") }
    guard member.unpackedCount <= limit else {
      throw .tooLarge("\(member.shownName) in the zip archive has more than the \(limit) bytes that are accepted")
    }
    var checksum = crc32(0, nil, 0)
    let result: Result<Void, PackingError> = bytes.withUnsafeBytes { bytes in
      Result { () throws(PackingError) in
        let packed = UnsafeRawBufferPointer(rebasing: bytes[try range(of: member, in: bytes)])
        try Self.unpack(packed, of: member) { piece, done in
          checksum = crc32(checksum, piece.bindMemory(to: UInt8.self).baseAddress, UInt32(piece.count))
          body(piece, done)
        }
      }
    }
    try result.get()
    guard UInt32(truncatingIfNeeded: checksum) == member.checksum else {
      throw .damaged("the checksum of \(member.shownName) is wrong")
    }
  }

  /// The start of a member: what its first 16 KiB give, as far as they are sound.
  func head(of member: Member) -> [UInt8] {
    bytes.withUnsafeBytes { bytes in
      guard let range = try? range(of: member, in: bytes) else { return [] }
      let packed = UnsafeRawBufferPointer(rebasing: bytes[range.prefix(16 << 10)])
      guard member.method == Method.deflated else { return [UInt8](packed) }
      var head: [UInt8] = []
      guard let inflater = try? Inflater(.none, "") else { return [] }
      inflater.take(packed)
      _ = try? inflater.inflate { head.append(contentsOf: $0) }
      return head
    }
  }

  /// The packed bytes of a member, which follow its own header.
  private func range(of member: Member, in bytes: UnsafeRawBufferPointer) throws(PackingError) -> Range<Int> {
    let contradiction = PackingError.damaged("the header of \(member.shownName) contradicts the directory")
    let nameStart = member.offset + LocalHeader.count
    guard nameStart <= directoryStart, bytes.load(littleEndian: UInt32.self, at: member.offset) == LocalHeader.signature
    else { throw contradiction }
    let nameCount = Int(bytes.load(littleEndian: UInt16.self, at: member.offset + LocalHeader.nameCount))
    let extraCount = Int(bytes.load(littleEndian: UInt16.self, at: member.offset + LocalHeader.extraCount))
    let start = nameStart + nameCount + extraCount
    guard start + member.packedCount <= directoryStart,
      bytes.load(littleEndian: UInt16.self, at: member.offset + LocalHeader.method) == member.method,
      bytes[nameStart..<nameStart + nameCount].elementsEqual(member.rawName)
    else { throw contradiction }
    return start..<start + member.packedCount
  }

  private static func unpack(
    _ packed: UnsafeRawBufferPointer, of member: Member, _ body: (UnsafeRawBufferPointer, Double) -> Void
  ) throws(PackingError) {
    let name = member.shownName
    let wrongSize = PackingError.damaged("\(name) does not have the \(member.unpackedCount) bytes that are declared")
    switch member.method {
    case Method.stored:
      guard packed.count == member.unpackedCount else { throw wrongSize }
      body(packed, 1)
    case Method.deflated:
      let (most, overflows) = packed.count.multipliedReportingOverflow(by: maximumRatio)
      guard overflows || member.unpackedCount <= most + maximumRatioSlack else { throw wrongSize }
      var count = 0
      let inflater = try Inflater(.none, "the zip archive is damaged: \(name)")
      inflater.take(packed)
      let isWhole = try inflater.inflate { (piece) throws(PackingError) in
        count += piece.count
        guard count <= member.unpackedCount else { throw wrongSize }
        body(piece, 1 - Double(inflater.remaining) / Double(max(packed.count, 1)))
      }
      guard isWhole, inflater.remaining == 0, count == member.unpackedCount else { throw wrongSize }
    default: throw .unsupported("\(name) is packed by method \(member.method); deflate and store are read")
    }
  }
}

// MARK: The directory

extension ZipArchive {
  private typealias End = (start: Int, end: Int, count: Int)

  /// Finds the record at the end of an archive, which a comment may follow (APPNOTE 4.3.16).
  private static func end(of bytes: UnsafeRawBufferPointer) throws(PackingError) -> End {
    let last = bytes.count - EndRecord.count
    let first = max(0, last - Int(UInt16.max))
    var position = last
    while position >= first {
      if bytes.load(littleEndian: UInt32.self, at: position) == EndRecord.signature,
        Int(bytes.load(littleEndian: UInt16.self, at: position + EndRecord.commentCount)) == last - position
      {
        return try end(of: bytes, at: position)
      }
      position -= 1
    }
    throw .damaged("its directory is missing; the file is cut off")
  }

  private static func end(of bytes: UnsafeRawBufferPointer, at position: Int) throws(PackingError) -> End {
    func short(_ offset: Int) -> UInt16 { bytes.load(littleEndian: UInt16.self, at: position + offset) }
    func long(_ offset: Int) -> UInt32 { bytes.load(littleEndian: UInt32.self, at: position + offset) }
    let (members, size, start) = (short(EndRecord.members), long(EndRecord.size), long(EndRecord.start))
    guard members != .max, size != .max, start != .max else { throw .zip64 }
    guard short(EndRecord.disk) == 0, short(EndRecord.firstDisk) == 0, short(EndRecord.membersHere) == members else {
      throw .unsupported("it is one of several files of an archive")
    }
    guard Int(start) + Int(size) == position else { throw .damaged("its directory is not where its end says") }
    guard members <= maximumMembers else {
      throw .unsupported("it has \(members) files, at most \(maximumMembers) are accepted")
    }
    return (Int(start), position, Int(members))
  }

  /// Reads the directory's entries.
  private static func members(of bytes: UnsafeRawBufferPointer, _ directory: End) throws(PackingError) -> [Member] {
    var members: [Member] = []
    var position = directory.start
    for _ in 0..<directory.count {
      guard directory.end - position >= Entry.count,
        bytes.load(littleEndian: UInt32.self, at: position) == Entry.signature
      else { throw .damaged("its directory has fewer entries than its end says") }
      func short(_ offset: Int) -> UInt16 { bytes.load(littleEndian: UInt16.self, at: position + offset) }
      func long(_ offset: Int) -> UInt32 { bytes.load(littleEndian: UInt32.self, at: position + offset) }
      let name = position + Entry.count..<position + Entry.count + Int(short(Entry.nameCount))
      let next = name.upperBound + Int(short(Entry.extraCount)) + Int(short(Entry.commentCount))
      guard next <= directory.end else { throw .damaged("its directory is cut off") }
      let sizes = (packed: long(Entry.packedCount), unpacked: long(Entry.unpackedCount), offset: long(Entry.offset))
      guard sizes.packed != .max, sizes.unpacked != .max, sizes.offset != .max else { throw .zip64 }
      let member = Member(
        name: String(decoding: bytes[name], as: UTF8.self), unpackedCount: Int(sizes.unpacked),
        rawName: [UInt8](bytes[name]), flags: short(Entry.flags), method: short(Entry.method),
        checksum: long(Entry.checksum), packedCount: Int(sizes.packed), offset: Int(sizes.offset))
      if !member.name.hasSuffix("/") { members.append(member) }
      position = next
    }
    guard position == directory.end else { throw .damaged("its directory has more entries than its end says") }
    return members
  }

  /// Offsets in the end record (APPNOTE 4.3.16).
  private enum EndRecord {
    static let signature: UInt32 = 0x0605_4B50
    static let (disk, firstDisk, membersHere, members, size, start, commentCount, count) = (4, 6, 8, 10, 12, 16, 20, 22)
  }

  /// Offsets in an entry of the directory (APPNOTE 4.3.12).
  private enum Entry {
    static let signature: UInt32 = 0x0201_4B50
    static let (flags, method, checksum, packedCount, unpackedCount) = (8, 10, 16, 20, 24)
    static let (nameCount, extraCount, commentCount, offset, count) = (28, 30, 32, 42, 46)
  }

  /// Offsets in the header of a member (APPNOTE 4.3.7).
  private enum LocalHeader {
    static let signature: UInt32 = 0x0403_4B50
    static let (method, nameCount, extraCount, count) = (8, 26, 28, 30)
  }

  private enum Flags {
    static let encrypted: UInt16 = 1
  }

  /// Compression methods (APPNOTE 4.4.5).
  private enum Method {
    static let stored: UInt16 = 0
    static let deflated: UInt16 = 8
  }
}

extension ZipArchive.Member {
  /// The name in messages.
  fileprivate var shownName: String { quotedJSON(name.excerpt(80)) }
}

extension PackingError {
  /// The archive's bytes contradict each other, or end too early; the clause says where.
  fileprivate static func damaged(_ clause: String) -> Self { .unreadable("the zip archive is damaged: \(clause)") }

  /// The archive uses an unsupported part of the format.
  static func unsupported(_ clause: String) -> Self { .unreadable("the zip archive cannot be read: \(clause)") }

  /// Sizes that do not fit in 32 bits.
  fileprivate static let zip64 = unsupported("it is in the form for files of 4 GiB and more (zip64)")
}
