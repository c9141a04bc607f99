package import CitiesProtocol
package import Folders
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
    try reading(feed, limit: StoredCopy.maximumHeader, StoredCopy.Header.init(of:))
  }

  /// The header of the copy of `feed`, if its body matches the length and digest.
  ///
  /// - Throws: as ``header(of:)``.
  /// - Complexity: O(bytes of the copy).
  package func check(_ feed: FeedName) throws(FeedError) -> StoredCopy.Finding<StoredCopy.Header> {
    try reading(feed) { StoredCopy(file: $0)?.header }
  }

  /// Reads the copy of `feed`, or the one in the `new` file that is to replace it.
  ///
  /// - Throws: as ``header(of:)``.
  /// - Complexity: O(bytes of the copy).
  package func read(_ feed: FeedName, new: Descriptor? = nil) throws(FeedError) -> StoredCopy.Finding<StoredCopy> {
    try reading(feed, new, StoredCopy.init(file:))
  }

  private func reading<Value>(
    _ feed: FeedName, _ new: Descriptor? = nil, limit: Int = StoredCopy.maximumHeader + SourceFile.maximumBytes,
    _ decode: (consuming [UInt8]) -> Value?
  ) throws(FeedError) -> StoredCopy.Finding<Value> {
    try FeedError.converting { () throws(SystemError) in
      if let new { lseek(new.number, 0, SEEK_SET) }
      let old = try state.open()?.folder(StoredCopy.folderName)?.file(StoredCopy.fileName(of: feed))
      guard let file = new ?? old else { return .absent }
      let path = path(of: feed)
      let bytes = try readAll(file.number, path, limit: limit, expecting: Int(file.status(path).st_size))
      return decode(bytes).map(StoredCopy.Finding.sound) ?? .damaged
    }
  }

  /// Writes a new copy of `feed`; the old one stays until the new one is renamed.
  ///
  /// - Throws: ``FeedError`` if a system call failed, such as on a full disk.
  package func prepare(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) -> PreparedFile {
    try FeedError.converting { () throws(SystemError) in
      let folder = try state.make().folder(making: StoredCopy.folderName)
      return try PreparedFile(StoredCopy.fileName(of: feed), in: folder, mode: StoredCopy.mode) {
        (output) throws(SystemError) in
        try output.write(copy.header.encoded)
        try output.write(copy.bytes)
      }
    }
  }

  /// Replaces the header of the copy of `feed`, whose body stays; does nothing if another process has replaced the
  /// copy.
  ///
  /// - Throws: as ``prepare(_:of:)``.
  package func write(_ header: StoredCopy.Header, of feed: FeedName) throws(FeedError) {
    guard case .sound(var copy) = try read(feed), copy.header.length == header.length,
      copy.header.digest == header.digest
    else { return }
    copy.header = header
    let new = try prepare(copy, of: feed)
    try FeedError.converting { () throws(SystemError) in try new.rename() }
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

  static func fileName(of feed: FeedName) -> String { "\(feed.rawValue).source" }

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
