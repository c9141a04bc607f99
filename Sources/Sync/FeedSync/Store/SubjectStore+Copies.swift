package import CitiesProtocol
import Folders
import Glibc
import Resident
import System

/// The stored copies: `sources/FEED.source` in the state folder, one for each feed, each replaced whole or not at all.
///
/// A copy that is not as it was written is set aside as `FEED.source.damaged-SECONDS`, for inspection, and counts as
/// missing; the oldest of more than ``StoredCopy/maximumDamaged`` are removed.
extension SubjectStore {
  /// Where the copy of `feed` is.
  package func path(of feed: FeedName) -> String {
    "\(state.path)/\(StoredCopy.folderName)/\(StoredCopy.fileName(of: feed))"
  }

  /// The header of the copy of `feed`; its body is not looked at.
  ///
  /// - Throws: ``FeedError`` if a system call failed.
  /// - Complexity: O(bytes of the header).
  package func header(of feed: FeedName) throws(FeedError) -> StoredCopy.Finding<StoredCopy.Header> {
    try reading(feed) { (reader) throws(SystemError) in try reader.header() }
  }

  /// The header of the copy of `feed`, if its body has the header's length and digest; the body is not kept.
  ///
  /// - Throws: as ``header(of:)``.
  /// - Complexity: O(bytes of the copy), in memory of a fixed size.
  package func check(_ feed: FeedName) throws(FeedError) -> StoredCopy.Finding<StoredCopy.Header> {
    try reading(feed) { (reader) throws(SystemError) in
      guard let header = try reader.header() else { return nil }
      var hash = XXH64()
      let length = try reader.forEachPiece(upTo: header.length) { piece in piece.withUnsafeBytes { hash.update($0) } }
      return (length, hash.value) == (header.length, header.digest) ? header : nil
    }
  }

  /// Reads the copy of `feed`.
  ///
  /// - Throws: as ``header(of:)``.
  /// - Complexity: O(bytes of the copy).
  package func read(_ feed: FeedName) throws(FeedError) -> StoredCopy.Finding<StoredCopy> {
    try reading(feed) { (reader) throws(SystemError) in
      guard let header = try reader.header(), header.length <= UInt64(SourceFile.maximumBytes) else { return nil }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(header.length))
      try reader.forEachPiece(upTo: header.length) { bytes.append(contentsOf: $0) }
      let copy = StoredCopy(header.details, SourceFile(bytes: bytes))
      return copy.header == header ? copy : nil
    }
  }

  private func reading<Value>(
    _ feed: FeedName, _ body: (CopyReader) throws(SystemError) -> Value?
  ) throws(FeedError) -> StoredCopy.Finding<Value> {
    try FeedError.converting { () throws(SystemError) in
      guard let file = try state.open()?.folder(StoredCopy.folderName)?.file(StoredCopy.fileName(of: feed)) else {
        return .absent
      }
      return try body(CopyReader(file: file, path: path(of: feed))).map(StoredCopy.Finding.sound) ?? .damaged
    }
  }

  /// Replaces the copy of `feed`.
  ///
  /// - Throws: ``FeedError`` if a system call failed, as on a full disk; the old copy stays then.
  package func write(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) {
    try FeedError.converting { () throws(SystemError) in
      try replaceFile(feed, copy.header) { (output) throws(SystemError) in try output.write(copy.bytes) }
    }
  }

  /// Replaces the header of the copy of `feed`, whose body stays; a copy that another process has stored since stays
  /// whole.
  ///
  /// - Throws: as ``write(_:of:)-(StoredCopy,_)``.
  package func write(_ header: StoredCopy.Header, of feed: FeedName) throws(FeedError) {
    _ = try reading(feed) { (reader) throws(SystemError) -> Void? in
      guard let old = try reader.header(), old.length == header.length, old.digest == header.digest else { return nil }
      try replaceFile(feed, header) { (output) throws(SystemError) in
        try reader.forEachPiece(upTo: header.length) { (piece) throws(SystemError) in try output.write(piece) }
      }
    }
  }

  private func replaceFile(
    _ feed: FeedName, _ header: StoredCopy.Header, _ body: (borrowing AtomicFile.Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let folder = try state.make().folder(making: StoredCopy.folderName)
    try AtomicFile.replace(StoredCopy.fileName(of: feed), in: folder, mode: StoredCopy.mode) {
      (output) throws(SystemError) in
      try output.write(header.encoded)
      try body(output)
    }
  }

  /// Removes the copy of `feed`.
  ///
  /// - Throws: ``FeedError`` if a system call failed.
  package func remove(_ feed: FeedName) throws(FeedError) {
    try FeedError.converting { () throws(SystemError) in
      try state.open()?.folder(StoredCopy.folderName)?.remove(StoredCopy.fileName(of: feed))
    }
  }

  /// Sets the damaged copy of `feed` aside, named after the moment `now`.
  ///
  /// - Throws: ``FeedError`` if it cannot be renamed.
  package func setAside(_ feed: FeedName, at now: Int64) throws(FeedError) -> String {
    let name = StoredCopy.fileName(of: feed)
    let aside = "\(name).damaged-\(now)"
    try FeedError.converting { () throws(SystemError) in
      let folder = try state.make().folder(making: StoredCopy.folderName)
      try folder.rename(name, to: aside)
      // Their seconds have ten digits until the year 2286.
      let damaged = folder.names.filter { $0.hasPrefix("\(name).damaged-") }.sorted()
      for old in damaged.dropLast(StoredCopy.maximumDamaged) { folder.remove(old) }
    }
    return "\(path(of: feed)).damaged-\(now)"
  }
}

extension StoredCopy {
  /// Damaged copies that are kept, of each feed.
  package static let maximumDamaged = 3
  /// The folder's name in the state folder.
  package static let folderName = "sources"
  /// The owner's alone: a copy holds the URL that it came from, whose query may be a secret.
  fileprivate static let mode: mode_t = 0o600

  fileprivate static func fileName(of feed: FeedName) -> String { "\(feed.rawValue).source" }

  /// What reading a copy, or a part of it, came to.
  package enum Finding<Value> {
    /// There is none.
    case absent
    /// It is as it was written.
    case sound(Value)
    /// It is not, or of another program's version.
    case damaged
  }
}

extension StoredCopy.Finding: Equatable where Value: Equatable {}

/// Reads the file of a copy from its start, in pieces.
private struct CopyReader {
  /// Bytes asked of the system at once.
  private static let pieceSize = 256 << 10

  let file: Descriptor
  let path: String

  /// Reads the header; `nil` if it is not as it was written.
  func header() throws(SystemError) -> StoredCopy.Header? {
    let prefix = try bytes(StoredCopy.prefixSize)
    guard let count = StoredCopy.Header.detailsCount(after: prefix) else { return nil }
    return StoredCopy.Header.read(prefix, try bytes(count))
  }

  /// Calls `body` with the bytes that follow, and returns how many there are; not more than one beyond `limit` is read.
  @discardableResult
  func forEachPiece(
    upTo limit: UInt64, _ body: ([UInt8]) throws(SystemError) -> Void
  ) throws(SystemError) -> UInt64 {
    var total: UInt64 = 0
    while total <= limit {
      // One byte more than the limit shows a body that is too long.
      let piece = try bytes(Int(min(UInt64(Self.pieceSize - 1), limit - total)) + 1)
      guard !piece.isEmpty else { break }
      total += UInt64(piece.count)
      guard total <= limit else { break }
      try body(piece)
    }
    return total
  }

  /// The next `count` bytes, or fewer at the end.
  private func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
    try readAll(file.number, path, limit: count - 1)
  }
}
