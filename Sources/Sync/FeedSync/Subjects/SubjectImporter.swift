package import CitiesProtocol
package import Resident

/// Turns the sources of a subject's feeds into its resident file: one conforming type for each subject.
///
/// It reads bytes once, into a value, and makes an image from such values; downloading, storing and writing are the
/// work of others.
package protocol SubjectImporter: Sendable {
  /// What a source becomes: records that are checked, and not yet put in the order of the file.
  associatedtype Records: Sendable

  /// The feeds that the resident file is made from, in the order of ``FeedName/all``.
  var feeds: [FeedName] { get }
  /// The resident file's kind.
  var kind: ResidentKind { get }
  /// Whether messages name a local file by its path; else they name the feed, and its source before it.
  var namesLocalFiles: Bool { get }

  /// Checks what is configured for the records of `feed`, before it is fetched.
  ///
  /// - Throws: ``FeedError`` that names the key, such as a time zone that does not exist.
  func check(_ feed: FeedName) throws(FeedError)

  /// The settings that change what is made of the bytes of `feed`: part of what the resident file is made from.
  func settings(of feed: FeedName) -> [String]

  /// Reads one feed's bytes, which messages call `name`.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if they are not what the feed delivers, as an HTML page or cut JSON.
  func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<Records>

  /// Makes the resident file from the feeds that there are, in the order of ``feeds``; others are left out.
  ///
  /// The same parts and fingerprint give the same bytes.
  ///
  /// - Throws: ``FeedError`` if there is more than a file holds.
  func image(
    of parts: consuming [FeedPart<Records>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage
}

extension SubjectImporter {
  /// Messages name the feed.
  package var namesLocalFiles: Bool { false }

  /// Nothing is configured.
  package func check(_ feed: FeedName) throws(FeedError) {}

  /// There are none.
  package func settings(of feed: FeedName) -> [String] { [] }

  /// What the resident file is made from if these are the copies; feeds without one are left out.
  package func origin(of copies: [FeedName: StoredCopy.Header]) -> ResidentOrigin {
    ResidentOrigin(
      kind: kind,
      copies: feeds.compactMap { feed in
        copies[feed].map {
          .init(
            feed: feed, isSample: $0.details.sample, length: $0.length, digest: $0.digest, settings: settings(of: feed))
        }
      })
  }
}

/// What a feed's bytes came to.
package struct ParsedFeed<Records: Sendable>: Sendable {
  /// The outcome of the records.
  package var contents: FeedContents
  /// Those that are kept.
  package var records: Records

  /// Puts both together.
  package init(_ contents: FeedContents, _ records: Records) { (self.contents, self.records) = (contents, records) }
}

/// One feed's part of a resident file.
package struct FeedPart<Records: Sendable>: Sendable {
  /// The feed.
  package var feed: FeedName
  /// Whether its source is one of the samples.
  package var isSample: Bool
  /// What the source says.
  package var parsed: ParsedFeed<Records>

  /// Puts a part together.
  package init(_ feed: FeedName, isSample: Bool = false, _ parsed: ParsedFeed<Records>) {
    (self.feed, self.isSample, self.parsed) = (feed, isSample, parsed)
  }
}

/// The outcome of the records in a feed's bytes.
package struct FeedContents: Equatable, Sendable {
  /// How many were kept, repeated, replaced and skipped.
  package var counts: RecordCounts
  /// The first records that are not kept.
  package var notes: [RecordNote]
  /// Remarks in lines for the log, with positions.
  package var remarks: [String]

  /// Puts it together.
  package init(_ counts: RecordCounts, notes: [RecordNote] = [], remarks: [String] = []) {
    (self.counts, self.notes, self.remarks) = (counts, notes, remarks)
  }

  /// What `notes` say of a source of which `kept` records are kept.
  ///
  /// - Throws: ``FeedError`` if records were lost on the way.
  init(_ notes: ImportNotes, kept: Int) throws(FeedError) {
    self.init(try notes.counts(kept: kept), notes: notes.notes, remarks: notes.lines)
  }
}
