package import CitiesProtocol
import Glibc
package import Resident
import System

/// The stored copies: `sources/FEED.source` in the state folder, one a feed, each replaced whole or not at all.
///
/// A copy that is not as it was written is set aside as `FEED.source.damaged-SECONDS`, so that somebody can look at it,
/// and counts as missing; the oldest of more than ``maximumDamaged`` are removed.
package struct SourceStore: Sendable {
  /// Damaged copies that are kept, of each feed.
  package static let maximumDamaged = 3
  /// The folder's name in the state folder.
  package static let folderName = "sources"

  /// The owner's alone: a copy holds the URL that it came from, whose query may be a secret.
  private static let mode: mode_t = 0o600

  private let state: StateFolder

  /// Keeps the copies in `state`.
  package init(state: StateFolder) { self.state = state }

  /// Where the copy of `feed` is.
  package func path(of feed: FeedName) -> String { "\(state.path)/\(Self.folderName)/\(Self.fileName(of: feed))" }

  private static func fileName(of feed: FeedName) -> String { "\(feed.rawValue).source" }

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
    do {
      guard let file = try state.open()?.folder(Self.folderName)?.file(Self.fileName(of: feed)) else { return .absent }
      let bytes = try SourceFile(file, path: path(of: feed)).bytes
      return StoredCopy(file: bytes).map(Finding.sound) ?? .damaged
    } catch let error as SystemError {
      throw FeedError(error)
    } catch let error as FeedError {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown")
    }
  }

  /// Puts `copy` in the place of what is there.
  ///
  /// - Throws: ``FeedError`` if a system call failed, as on a full disk; what was there stays then.
  package func write(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) {
    do throws(SystemError) {
      let folder = try state.make().folder(making: Self.folderName)
      let pieces = [copy.head, copy.bytes]
      try AtomicFile.replace(Self.fileName(of: feed), in: folder, mode: Self.mode) { (output) throws(SystemError) in
        for piece in pieces { try output.write(piece) }
      }
    } catch {
      throw FeedError(error)
    }
  }

  /// Sets the damaged copy of `feed` aside, named after the moment `now`.
  ///
  /// - Throws: ``FeedError`` if it cannot be renamed.
  package func setAside(_ feed: FeedName, at now: Int64) throws(FeedError) -> String {
    let name = Self.fileName(of: feed)
    let aside = "\(name).damaged-\(now)"
    do throws(SystemError) {
      let folder = try state.make().folder(making: Self.folderName)
      try folder.rename(name, to: aside)
      // Their seconds have ten digits until the year 2286.
      let damaged = folder.names.filter { $0.hasPrefix("\(name).damaged-") }.sorted()
      for old in damaged.dropLast(Self.maximumDamaged) { folder.remove(old) }
    } catch {
      throw FeedError(error)
    }
    return "\(path(of: feed)).damaged-\(now)"
  }
}
