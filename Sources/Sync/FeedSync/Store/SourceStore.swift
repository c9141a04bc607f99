package import CitiesProtocol
import Glibc
package import Resident

/// The stored copies: `sources/FEED.source` in the state folder, one a feed, each replaced whole or not at all.
///
/// A copy that is not as it was written is set aside as `FEED.source.damaged-SECONDS`, so that somebody can look at it,
/// and counts as missing; the oldest of more than ``maximumDamaged`` are removed.
package struct SourceStore: Sendable {
  /// Damaged copies that are kept, of each feed.
  package static let maximumDamaged = 3
  /// The folder's name in the state folder.
  package static let folderName = "sources"

  private let state: StateFolder
  private let folder: StateFolder

  /// Keeps the copies in `state`.
  package init(state: StateFolder) {
    self.state = state
    folder = StateFolder(path: "\(state.path)/\(Self.folderName)")
  }

  /// Where the copy of `feed` is.
  package func path(of feed: FeedName) -> String { "\(folder.path)/\(feed.rawValue).source" }

  /// What reading a copy came to.
  package enum Finding: Equatable, Sendable {
    /// There is none.
    case absent
    /// It is as it was written.
    case sound(StoredCopy)
    /// It is not, or of another program's version.
    case damaged
  }

  /// Reads the copy of `feed`.
  ///
  /// - Throws: ``FeedError`` if a system call failed.
  /// - Complexity: O(bytes).
  package func read(_ feed: FeedName) throws(FeedError) -> Finding {
    let path = path(of: feed)
    guard access(path, F_OK) == 0 || errno != ENOENT else { return .absent }
    let file = try SourceFile(path: path, regularOnly: true)
    return StoredCopy(file: file.bytes).map(Finding.sound) ?? .damaged
  }

  /// Puts `copy` in the place of what is there.
  ///
  /// - Throws: ``FeedError`` if a system call failed, as on a full disk; what was there stays then.
  package func write(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) {
    do throws(FileError) {
      try folder.create()
      try handToOwner()
      let pieces = [copy.head, copy.bytes]
      try AtomicFile.replace(path(of: feed)) { (output) throws(FileError) in
        for piece in pieces { try output.write(all: piece) }
      }
    } catch {
      throw FeedError(error)
    }
  }

  /// Sets the damaged copy of `feed` aside, named after the moment `now`.
  ///
  /// - Throws: ``FeedError`` if it cannot be renamed.
  package func setAside(_ feed: FeedName, at now: Int64) throws(FeedError) -> String {
    let path = path(of: feed)
    let aside = "\(path).damaged-\(now)"
    guard rename(path, aside) == 0 else { throw FeedError(FileError(path: path, call: "rename")) }
    for old in damaged(feed).dropLast(Self.maximumDamaged) { unlink("\(folder.path)/\(old)") }
    return aside
  }

  /// The names of the damaged copies of `feed`, oldest first; their seconds have ten digits until the year 2286.
  private func damaged(_ feed: FeedName) -> [String] {
    let start = "\(feed.rawValue).source.damaged-"
    return AtomicFile.names(in: folder.path).filter { $0.hasPrefix(start) }.sorted()
  }

  /// Gives a folder that root has made to the owner of the one around it.
  private func handToOwner() throws(FileError) {
    var around = stat()
    guard geteuid() == 0, stat(state.path, &around) == 0, around.st_uid != 0 else { return }
    guard chown(folder.path, around.st_uid, around.st_gid) == 0 else {
      throw FileError(path: folder.path, call: "chown")
    }
  }
}

extension AtomicFile.Output {
  fileprivate func write(all bytes: [UInt8]) throws(FileError) {
    let result: Result<Void, FileError> = bytes.withUnsafeBytes { piece in
      do throws(FileError) { return .success(try write(piece)) } catch { return .failure(error) }
    }
    try result.get()
  }
}
