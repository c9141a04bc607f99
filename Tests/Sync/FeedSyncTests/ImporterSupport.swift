import CitiesProtocol
import Resident
import Synchronization
import TestSupport

@testable import FeedSync

/// The bytes of a feed's sample.
func sample(of feed: FeedName) throws -> [UInt8] {
  try Repository.bytes(Repository.path("contrib/data/sample/\(feed.rawValue).json"))
}

/// What a feed delivered, as a test writes it down.
struct SourceCopy {
  var bytes: [UInt8]
  var isSample = false
}

extension SubjectImporter {
  /// The contents of a feed's bytes, with the feed's settings checked first.
  func examine(_ feed: FeedName, _ bytes: [UInt8]) throws(FeedError) -> FeedContents {
    try check(feed)
    return try parse(feed, bytes, name: feed.rawValue) { _ in }.contents
  }

  /// The resident file that the copies give.
  func image(of copies: [FeedName: SourceCopy]) throws(FeedError) -> ResidentImage {
    var parts: [ParsedFeed<Records>] = []
    var headers: [FeedName: StoredCopy.Header] = [:]
    for feed in feeds {
      guard let copy = copies[feed] else { continue }
      let source = SourceFile(bytes: copy.bytes)
      headers[feed] = StoredCopy.Header(.init(url: "", confirmed: 0, sample: copy.isSample), of: source)
      var part = try parse(feed, copy.bytes, name: feed.rawValue) { _ in }
      part.isSample = copy.isSample
      parts.append(part)
    }
    return try image(of: parts, fingerprint: origin(of: headers).fingerprint) { _ in }
  }
}

extension StoredCopy {
  init(_ details: Details, _ bytes: [UInt8]) { self.init(details, SourceFile(bytes: bytes)) }
}

extension CityBuild {
  /// The counts as they stand in the index.
  var summary: ResidentCities.Summary {
    let counts = contents.counts
    return ResidentCities.Summary(
      records: counts.kept, skipped: counts.skipped, repeated: counts.repeated, replaced: counts.replaced)
  }

  var remarks: [String] { contents.remarks }
}

/// How often an importer was asked to parse each feed, and to make an image.
final class ImportCounts: Sendable {
  private let parses = Mutex<[FeedName: Int]>([:])
  private let images = Mutex(0)

  func didParse(_ feed: FeedName) { parses.withLock { $0[feed, default: 0] += 1 } }
  func didMakeImage() { images.withLock { $0 += 1 } }

  /// Takes the counts so far, which start from 0 again.
  func take() -> (parses: [FeedName: Int], images: Int) {
    let parses = self.parses.withLock { parses in
      defer { parses = [:] }
      return parses
    }
    return (
      parses,
      images.withLock { images in
        defer { images = 0 }
        return images
      }
    )
  }
}

/// An importer that counts its work.
struct CountingImporter<Base: SubjectImporter>: SubjectImporter {
  let base: Base
  let counts: ImportCounts

  var feeds: [FeedName] { base.feeds }
  var kind: ResidentKind { base.kind }
  var namesLocalFiles: Bool { base.namesLocalFiles }
  func check(_ feed: FeedName) throws(FeedError) { try base.check(feed) }
  func settings(of feed: FeedName) -> [String] { base.settings(of: feed) }

  func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<Base.Records> {
    counts.didParse(feed)
    return try base.parse(feed, bytes, name: name, progress: progress)
  }

  func image(
    of parts: consuming [ParsedFeed<Base.Records>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage {
    counts.didMakeImage()
    return try base.image(of: parts, fingerprint: fingerprint, progress: progress)
  }
}
