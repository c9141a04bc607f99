package import CitiesProtocol
import Folders
package import Resident
import System

/// The stored copies of a subject's feeds, and the resident file built from them; shared by the subject's feeds.
///
/// A number in the file's header fingerprints its inputs (``ResidentOrigin``), and the headers of the copies give the
/// expected number: while both agree, nothing is parsed or built. The file is rebuilt when the copies, the importer's
/// settings or its row version have changed, and when it is missing or damaged.
///
/// Assemblies take turns, also those of other processes, but none waits long for another one, which may hang. A new
/// copy and the file replace the old ones together, and only if no other copy has changed since the assembly began, so
/// two feeds that finish together do not lose each other's data. A copy from which no file can be built is never
/// stored.
package final class SubjectStore<Importer: SubjectImporter>: Sendable {
  package let importer: Importer
  let state: StateFolder
  /// Seconds to wait for another assembly; most take less.
  private let patience = 2

  /// Keeps the copies and `importer`'s file in `state`.
  package init(_ importer: Importer, state: StateFolder) {
    self.importer = importer
    self.state = state
  }

  /// Rebuilds the resident file if its inputs have changed, and returns its contents by feed; `nil` if it stays.
  ///
  /// The `new` copy of `feed` takes its place with the file.
  ///
  /// A feed without a sound copy is left out, and so is any but `feed` whose copy no longer parses. If no copy can be
  /// used, the file stays as it is; it is removed if all of its feeds are gone from the configuration, or if it may
  /// have data of the `forgotten` feed. It also stays if it has data of `feed`, which has no copy.
  ///
  /// - Throws: ``FeedError``; the file and the copies are as they were then.
  package func assemble(
    force: Bool, for feed: FeedName? = nil, _ new: NewCopy<Importer.Records>? = nil,
    forgetting forgotten: FeedName? = nil, progress: @escaping ProgressReport = { _ in }
  ) throws(FeedError) -> [FeedName: FeedContents]? {
    try importer.prepare()
    let folder = try FeedError.converting { () throws(SystemError) in try state.make() }
    let turn = try? FolderLock(folder, name: ".\(importer.kind.fileName).lock", timeout: patience)
    defer { withExtendedLifetime(turn) {} }
    while true {
      progress(Progress("building", done: 0))
      let headers = try headers(feed, new)
      let built = try build(headers, served(in: folder), force, feed, new, forgotten, progress)
      guard built.image != nil || built.isObsolete || new != nil else { return nil }
      let isDone = try FeedError.converting { () throws(SystemError) in
        let file = try built.image?.prepare(importer.kind.fileName, in: folder)
        let lock = try FolderLock(folder, name: FolderLock.journal)
        defer { withExtendedLifetime(lock) {} }
        progress(.storing)
        guard let now = try? self.headers(feed, new), fingerprint(of: now) == fingerprint(of: headers) else {
          return false
        }
        try new?.file.rename()
        try file?.rename()
        if built.isObsolete { try folder.remove(importer.kind.fileName) }
        return true
      }
      if isDone { return built.contents }
    }
  }

  /// What an assembly writes; nothing if the file stays.
  private struct Build {
    var image: ResidentImage?
    var contents: [FeedName: FeedContents]?
    /// Whether the file is removed.
    var isObsolete = false
  }

  private func build(
    _ headers: [FeedName: StoredCopy.Header], _ served: (fingerprint: UInt64, feeds: Set<FeedName>)?, _ force: Bool,
    _ feed: FeedName?, _ new: NewCopy<Importer.Records>?, _ forgotten: FeedName?, _ progress: @escaping ProgressReport
  ) throws(FeedError) -> Build {
    let isSound = { copies in !force && served?.fingerprint == self.fingerprint(of: copies) }
    guard !isSound(headers) else { return Build() }
    var copies = headers
    let parts = try parts(of: &copies, for: feed, new)
    guard !parts.isEmpty else { return Build(isObsolete: isObsolete(served?.feeds, forgetting: forgotten)) }
    // Without a copy, the served data of a feed exists nowhere else: its own attempt must not drop it.
    if let feed, copies[feed] == nil, served?.feeds.contains(feed) == true { return Build() }
    // Without a copy that cannot be used, the file may already be correct.
    guard copies == headers || !isSound(copies) else { return Build() }
    let contents = Dictionary(uniqueKeysWithValues: parts.map { ($0.feed, $0.contents) })
    let image = try importer.image(of: consume parts, fingerprint: fingerprint(of: copies), progress: progress)
    return Build(image: image, contents: contents)
  }

  private func fingerprint(of copies: [FeedName: StoredCopy.Header]) -> UInt64 {
    importer.origin(of: copies).fingerprint
  }

  /// Removes the copy of `feed` and rebuilds the resident file without it; removes the file if no other copy can be
  /// used.
  ///
  /// - Throws: ``FeedError``.
  package func forget(_ feed: FeedName) throws(FeedError) {
    try remove(feed)
    _ = try assemble(force: false, forgetting: feed)
  }

  /// The headers of the existing copies, with that of the `new` copy of a feed.
  private func headers(
    _ renewed: FeedName?, _ new: NewCopy<Importer.Records>?
  ) throws(FeedError) -> [FeedName: StoredCopy.Header] {
    var headers: [FeedName: StoredCopy.Header] = [:]
    for feed in importer.feeds {
      if case .sound(let header) = try header(of: feed) { headers[feed] = header }
    }
    if let renewed, let new { headers[renewed] = new.header }
    return headers
  }

  /// The records of `copies`, parsed if necessary; copies with a damaged body are removed from `copies`, and those that
  /// no longer parse, such as after a change of a feed's format.
  ///
  /// - Throws: ``FeedError`` if that is the copy of `requested`; another feed's attempt does not fail.
  private func parts(
    of copies: inout [FeedName: StoredCopy.Header], for requested: FeedName?, _ new: NewCopy<Importer.Records>?
  ) throws(FeedError) -> [ParsedFeed<Importer.Records>] {
    var parts: [ParsedFeed<Importer.Records>] = []
    for feed in importer.feeds {
      guard let header = copies[feed] else { continue }
      let new = feed == requested ? new : nil
      if var known = new?.takeRecords() {
        known.isSample = header.details.sample
        parts.append(consume known)
        continue
      }
      copies[feed] = nil
      guard case .sound(let copy) = try read(feed, new: new?.file.file) else { continue }
      do throws(FeedError) {
        parts.append(try parse(copy, of: feed))
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

  /// Parses the stored copy of `feed`.
  private func parse(_ copy: StoredCopy, of feed: FeedName) throws(FeedError) -> ParsedFeed<Importer.Records> {
    let url = copy.header.details.url
    return try FeedError.naming("feed \(feed.rawValue)") { () throws(FeedError) in
      let name = importer.namesLocalFiles && url.hasPrefix("/") ? url : feed.rawValue
      var parsed = try importer.parse(feed, copy.bytes, name: name) { _ in }
      parsed.isSample = copy.header.details.sample
      return parsed
    }
  }

  /// The fingerprint and the feeds of the resident file, if it is sound and of this build's versions.
  private func served(in folder: OpenFolder) -> (fingerprint: UInt64, feeds: Set<FeedName>)? {
    guard let file = try? ResidentFile(in: folder, kind: importer.kind, verify: .all) else { return nil }
    return (file.header.fingerprint, Set(importer.feeds(of: file)))
  }
}

/// A new copy of a feed, parsed and written, that has not replaced the old one yet; it is removed unless it does.
package final class NewCopy<Records: Sendable> {
  let header: StoredCopy.Header
  let file: PreparedFile
  private var records: ParsedFeed<Records>?

  init(_ header: StoredCopy.Header, _ file: PreparedFile, _ records: ParsedFeed<Records>) {
    (self.header, self.file, self.records) = (header, file, records)
  }

  /// The records, once: an assembly frees them as it goes.
  func takeRecords() -> ParsedFeed<Records>? { records.take() }
}
