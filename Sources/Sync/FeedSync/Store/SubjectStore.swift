package import CitiesProtocol
import Folders
package import Resident
import Synchronization
import System

/// The stored copies of a subject's feeds, and the resident file built from them; shared by the subject's feeds.
///
/// A number in the file's header fingerprints its inputs (``ResidentOrigin``), and the headers of the copies give the
/// expected number: while both agree, nothing is parsed or built. The file is rebuilt when the copies, the importer's
/// settings or its row version have changed, and when it is missing or damaged.
///
/// Only one assembly runs at a time, among all processes. It reads all copies while it holds the lock, so two feeds
/// that finish together do not lose each other's data.
package final class SubjectStore<Importer: SubjectImporter>: Sendable {
  /// A parsed source, identified by its digest.
  private struct Parsed {
    var digest: UInt64
    var length: UInt64
    var feed: ParsedFeed<Importer.Records>
  }

  /// Largest source, in bytes, whose records are kept for later assemblies.
  private let maximumKept = 4 << 20

  package let importer: Importer
  let state: StateFolder
  private let assembling = Mutex<Void>(())
  private let parsed = Mutex<[FeedName: Parsed]>([:])

  /// Keeps the copies and `importer`'s file in `state`.
  package init(_ importer: Importer, state: StateFolder) {
    self.importer = importer
    self.state = state
  }

  /// Parses a delivery of `feed`; its records are kept for the assembly that follows.
  ///
  /// - Throws: ``FeedError`` if its format is wrong.
  package func parse(
    _ feed: FeedName, _ source: SourceFile, name: String, progress: @escaping ProgressReport = { _ in }
  ) throws(FeedError) -> FeedContents {
    let new = try parseBytes(of: feed, source, name: name, progress)
    parsed.withLock { $0[feed] = new }
    return new.feed.contents
  }

  private func parseBytes(
    of feed: FeedName, _ source: SourceFile, name: String, _ progress: @escaping ProgressReport
  ) throws(FeedError) -> Parsed {
    let result = try parsing.withLock { (_) throws(FeedError) in
      try importer.parse(feed, source.bytes, name: name, progress: progress)
    }
    return Parsed(digest: source.digest, length: UInt64(source.bytes.count), feed: result)
  }

  /// Ends an attempt of `feed`: drops the records that ``parse(_:_:name:progress:)`` has kept, unless they are few.
  package func release(_ feed: FeedName) {
    parsed.withLock { if let known = $0[feed], !isKept(known) { $0[feed] = nil } }
  }

  /// Rebuilds the resident file if its inputs have changed, and returns its contents by feed; `nil` if it stays.
  ///
  /// A feed without a sound copy is left out, and so is any but `feed` whose copy no longer parses. If no copy can be
  /// used, the file stays as it is; it is removed if all of its feeds are gone from the configuration, or if it may
  /// have data of the `forgotten` feed. It also stays if it has data of `feed`, which has no copy.
  ///
  /// - Throws: ``FeedError``; the file is as it was then.
  package func assemble(
    force: Bool, for feed: FeedName? = nil, forgetting forgotten: FeedName? = nil,
    progress: @escaping ProgressReport = { _ in }
  ) throws(FeedError) -> [FeedName: FeedContents]? {
    try assembling.withLock { (_) throws(FeedError) -> [FeedName: FeedContents]? in
      let (folder, lock) = try FeedError.converting { () throws(SystemError) in
        let folder = try state.make()
        return (folder, try FolderLock(folder, name: ".\(importer.kind.fileName).lock"))
      }
      defer { withExtendedLifetime(lock) {} }
      let served = served(in: folder)
      let isSound = { (copies: [FeedName: StoredCopy.Header]) in
        !force && served?.fingerprint == self.importer.origin(of: copies).fingerprint
      }
      let headers = try headers()
      guard !isSound(headers) else { return nil }
      var copies = headers
      let parts = try parts(of: &copies, for: feed)
      if parts.isEmpty, isObsolete(served?.feeds, forgetting: forgotten) {
        _ = try FeedError.converting { () throws(SystemError) in try folder.remove(importer.kind.fileName) }
      }
      // Without a copy, the served data of a feed exists nowhere else: its own attempt must not drop it.
      if let feed, copies[feed] == nil, served?.feeds.contains(feed) == true { return nil }
      // Without a copy that cannot be used, the file may already be correct.
      guard !parts.isEmpty, copies == headers || !isSound(copies) else { return nil }
      let contents = Dictionary(uniqueKeysWithValues: parts.map { ($0.feed, $0.parsed.contents) })
      let fingerprint = importer.origin(of: copies).fingerprint
      let image = try parsing.withLock { (_) throws(FeedError) in
        try importer.image(of: parts, fingerprint: fingerprint, progress: progress)
      }
      try FeedError.converting { () throws(SystemError) in try image.write(importer.kind.fileName, in: folder) }
      return contents
    }
  }

  /// Removes the copy of `feed` and rebuilds the resident file without it; removes the file if no other copy can be
  /// used.
  ///
  /// - Throws: ``FeedError``.
  package func forget(_ feed: FeedName) throws(FeedError) {
    try remove(feed)
    parsed.withLock { $0[feed] = nil }
    _ = try assemble(force: false, forgetting: feed)
  }

  /// The headers of the existing copies.
  private func headers() throws(FeedError) -> [FeedName: StoredCopy.Header] {
    var headers: [FeedName: StoredCopy.Header] = [:]
    for feed in importer.feeds {
      if case .sound(let header) = try header(of: feed) { headers[feed] = header }
    }
    return headers
  }

  /// The records of `copies`, parsed if necessary; copies with a damaged body are removed from `copies`, and those that
  /// no longer parse, such as after a change of a feed's format.
  ///
  /// - Throws: ``FeedError`` if that is the copy of `requested`; another feed's attempt does not fail.
  private func parts(
    of copies: inout [FeedName: StoredCopy.Header], for requested: FeedName?
  ) throws(FeedError) -> [FeedPart<Importer.Records>] {
    var parts: [FeedPart<Importer.Records>] = []
    for feed in importer.feeds {
      guard let header = copies[feed] else { continue }
      if let known = take(feed, header) {
        parts.append(FeedPart(feed, isSample: header.details.sample, known))
        continue
      }
      copies[feed] = nil
      guard case .sound(let copy) = try read(feed) else { continue }
      do throws(FeedError) {
        parts.append(FeedPart(feed, isSample: copy.header.details.sample, try parseCopy(copy, of: feed)))
        copies[feed] = copy.header
      } catch {
        if feed == requested { throw error }
      }
    }
    return parts
  }

  /// Whether a resident file of the feeds `served` has only feeds that are no longer configured, because nothing else
  /// would ever replace it, or data of the `forgotten` feed; one that cannot be read may have it.
  private func isObsolete(_ served: Set<FeedName>?, forgetting forgotten: FeedName?) -> Bool {
    guard let served else { return forgotten != nil }
    return served.isDisjoint(with: importer.feeds) || forgotten.map(served.contains) ?? false
  }

  /// Parses the stored copy of `feed`, and keeps the records if they are few and no newer ones are kept.
  private func parseCopy(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) -> ParsedFeed<Importer.Records> {
    let url = copy.header.details.url
    let new = try FeedError.naming("feed \(feed.rawValue)") { () throws(FeedError) in
      let name = importer.namesLocalFiles && url.hasPrefix("/") ? url : feed.rawValue
      return try parseBytes(of: feed, SourceFile(bytes: copy.bytes), name: name) { _ in }
    }
    if isKept(new) { parsed.withLock { if $0[feed] == nil { $0[feed] = new } } }
    return new.feed
  }

  /// The kept records of `feed` if they match the copy; large ones are no longer kept.
  private func take(_ feed: FeedName, _ copy: StoredCopy.Header) -> ParsedFeed<Importer.Records>? {
    parsed.withLock { parsed in
      guard let known = parsed[feed], (known.digest, known.length) == (copy.digest, copy.length) else { return nil }
      if !isKept(known) { parsed[feed] = nil }
      return known.feed
    }
  }

  /// Records are needed again only for the assemblies of the subject's other feeds.
  private func isKept(_ parsed: Parsed) -> Bool { importer.feeds.count > 1 && parsed.length <= maximumKept }

  /// The fingerprint and the feeds of the resident file, if it is sound and of this build's versions.
  private func served(in folder: OpenFolder) -> (fingerprint: UInt64, feeds: Set<FeedName>)? {
    guard let file = try? ResidentFile(in: folder, kind: importer.kind, verify: .all) else { return nil }
    return (file.header.fingerprint, Set(importer.feeds(of: file)))
  }
}

/// Parsing takes memory in proportion to the source, so only one feed is parsed at a time.
private let parsing = Mutex<Void>(())
