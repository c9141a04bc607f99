package import CitiesProtocol
package import Resident
import Synchronization
import System

/// Keeps a subject's resident file as its feeds' stored copies say; the feeds of a subject share one.
///
/// One assembly at a time, in this process and beside others: it reads all copies after it has the lock, so two feeds that
/// finish together do not lose each other's data. The file is made anew when the copies, the importer's settings or its
/// row version are others than before, and when it is missing or damaged.
package final class SubjectAssembler: Sendable {
  /// What the file was last made from, or found to be made from, by this object; its importer has fixed settings.
  private struct Made: Equatable {
    var inputs: UInt64
    var generation: Generation
  }

  private let importer: any SubjectImporter
  private let state: StateFolder
  private let store: SourceStore
  private let last = Mutex<Made?>(nil)
  /// Parsing takes memory by the size of the source: of all feeds only one is parsed at a time.
  private static let parsing = Mutex<Void>(())

  /// Assembles `importer`'s file in `state`.
  package init(_ importer: any SubjectImporter, state: StateFolder) {
    self.importer = importer
    self.state = state
    store = SourceStore(state: state)
  }

  /// Checks what is configured for the records of `feed`.
  ///
  /// - Throws: ``FeedError`` that names the key.
  func check(_ feed: FeedName) throws(FeedError) { try importer.check(feed) }

  /// What is in a feed's bytes, before they take the place of the last good copy.
  ///
  /// - Throws: ``FeedError`` if they are not what the feed delivers.
  package func examine(_ feed: FeedName, _ bytes: [UInt8]) throws(FeedError) -> FeedContents {
    try Self.parsing.withLock { (_) throws(FeedError) in try importer.examine(feed, bytes) }
  }

  /// Makes the resident file anew if it is not what the copies say; `true` if it did.
  ///
  /// A feed without a sound copy is left out. Without any copy the file stays as it is.
  ///
  /// - Throws: ``FeedError``; the file is as it was then.
  package func assemble(force: Bool) throws(FeedError) -> Bool {
    try last.withLock { (last) throws(FeedError) in
      let (folder, lock): (OpenFolder, FolderLock)
      do throws(SystemError) {
        folder = try state.make()
        lock = try FolderLock(folder, name: ".\(importer.kind.fileName).lock")
      } catch {
        throw FeedError(error)
      }
      defer { withExtendedLifetime(lock) {} }
      let copies = try copies()
      let inputs = copies.fingerprint
      guard !copies.isEmpty, force || last?.inputs != inputs || standing(in: folder)?.generation != last?.generation
      else {
        return false
      }
      let image = try Self.parsing.withLock { (_) throws(FeedError) in try importer.image(of: copies) }
      let isNew = force || standing(in: folder) != Standing(image)
      if isNew {
        do throws(SystemError) { try image.write(importer.kind.fileName, in: folder) } catch { throw FeedError(error) }
      }
      last = Made(inputs: inputs, generation: image.generation)
      return isNew
    }
  }

  private func copies() throws(FeedError) -> [FeedName: SourceCopy] {
    var copies: [FeedName: SourceCopy] = [:]
    for feed in importer.feeds {
      if case .sound(let copy) = try store.read(feed) { copies[feed] = copy.source }
    }
    return copies
  }

  /// What a resident file is told by.
  private struct Standing: Equatable {
    var generation: Generation
    var source: UInt64

    init(_ image: ResidentImage) { (generation, source) = (image.generation, image.header.fingerprint) }
    init(_ file: ResidentFile) { (generation, source) = (file.generation, file.header.fingerprint) }
  }

  /// The file that stands there, if it is sound and of this build's versions.
  private func standing(in folder: OpenFolder) -> Standing? {
    guard let file = try? ResidentFile(in: folder, kind: importer.kind, verify: .all) else { return nil }
    guard (try? file.verifyContent()) != nil else { return nil }
    return Standing(file)
  }
}
