package import CitiesProtocol
import Folders
import Glibc
import Resident
import System

/// The stored copies: `sources/FEED.source` in the state folder, one per feed, each replaced atomically.
///
/// A damaged copy is renamed `FEED.source.damaged-SECONDS`, for inspection, and counts as missing; only the newest
/// ``StoredCopy/maximumDamaged`` are kept.
extension SubjectStore {
  /// The path of the copy of `feed`.
  package func path(of feed: FeedName) -> String {
    "\(state.path)/\(StoredCopy.folderName)/\(StoredCopy.fileName(of: feed))"
  }

  /// The header of the copy of `feed`; its body is not checked.
  ///
  /// - Throws: ``FeedError`` if a system call failed.
  /// - Complexity: O(bytes of the header).
  package func header(of feed: FeedName) throws(FeedError) -> StoredCopy.Finding<StoredCopy.Header> {
    try reading(feed) { (reader) throws(SystemError) in try reader.header() }
  }

  /// The header of the copy of `feed`, if its body matches the length and digest; the body is not kept.
  ///
  /// - Throws: as ``header(of:)``.
  /// - Complexity: O(bytes of the copy), in constant memory.
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
  /// - Throws: ``FeedError`` if a system call failed, such as on a full disk; the old copy stays then.
  package func write(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) {
    try FeedError.converting { () throws(SystemError) in
      try replaceFile(feed, copy.header) { (output) throws(SystemError) in try output.write(copy.bytes) }
    }
  }

  /// Replaces the header of the copy of `feed`, whose body stays; does nothing if another process has replaced the
  /// copy.
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

  /// Removes the copy of `feed`, and the damaged ones that were set aside.
  ///
  /// - Throws: ``FeedError`` if a system call failed.
  package func remove(_ feed: FeedName) throws(FeedError) {
    try FeedError.converting { () throws(SystemError) in
      guard let folder = try state.open()?.folder(StoredCopy.folderName) else { return }
      let name = StoredCopy.fileName(of: feed)
      for name in [name] + damagedCopies(of: name, in: folder) { try folder.remove(name) }
    }
  }

  /// Renames the damaged copy of `feed`, with the time `now` in its name, which is returned.
  ///
  /// - Throws: ``FeedError`` if it cannot be renamed.
  package func setAside(_ feed: FeedName, at now: Int64) throws(FeedError) -> String {
    let name = StoredCopy.fileName(of: feed)
    let aside = "\(name).damaged-\(now)"
    try FeedError.converting { () throws(SystemError) in
      let folder = try state.make().folder(making: StoredCopy.folderName)
      try folder.rename(name, to: aside)
      for old in damagedCopies(of: name, in: folder).dropLast(StoredCopy.maximumDamaged) {
        _ = try? folder.remove(old)
      }
    }
    return "\(path(of: feed)).damaged-\(now)"
  }

  /// The damaged copies of the file `name`, oldest first: the seconds in their names have ten digits until 2286.
  private func damagedCopies(of name: String, in folder: OpenFolder) -> [String] {
    folder.names.filter { $0.hasPrefix("\(name).damaged-") }.sorted()
  }
}

extension StoredCopy {
  /// Most damaged copies kept per feed.
  package static let maximumDamaged = 3
  /// The folder's name in the state folder.
  package static let folderName = "sources"
  /// For the owner only: a copy contains its URL, whose query may be secret.
  fileprivate static let mode: mode_t = 0o600

  fileprivate static func fileName(of feed: FeedName) -> String { "\(feed.rawValue).source" }

  /// The result of reading a copy or a part of it.
  package enum Finding<Value> {
    /// There is none.
    case absent
    /// It is intact.
    case sound(Value)
    /// It is damaged, or written by another version.
    case damaged
  }
}

extension StoredCopy.Finding: Equatable where Value: Equatable {}

/// Reads the file of a copy from its start, in pieces.
private struct CopyReader {
  private static let pieceSize = 256 << 10

  let file: Descriptor
  let path: String

  /// Reads the header; `nil` if it is damaged.
  func header() throws(SystemError) -> StoredCopy.Header? {
    let prefix = try bytes(StoredCopy.prefixSize)
    guard let count = StoredCopy.Header.detailsCount(after: prefix) else { return nil }
    return StoredCopy.Header.read(prefix, try bytes(count))
  }

  /// Calls `body` with the following bytes and returns their number, which exceeds `limit` if there are more.
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
