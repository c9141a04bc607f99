package import CitiesProtocol
package import Resident

/// Turns the sources of a subject's feeds into its resident file; each subject has a conforming type.
///
/// It only parses bytes into records and builds an image from records; others download, store and write.
package protocol SubjectImporter: Sendable {
  /// The records of a source, checked but not yet in the order of the file.
  associatedtype Records: Sendable

  /// The feeds of the resident file, in the order of ``FeedName/all``.
  var feeds: [FeedName] { get }
  /// The resident file's kind.
  var kind: ResidentKind { get }
  /// Whether messages name a local file by its path; else they name the source, then the feed.
  var namesLocalFiles: Bool { get }

  /// The feeds whose records are in `file`.
  func feeds(of file: ResidentFile) -> [FeedName]

  /// Checks the settings for the records of `feed`, before the download.
  ///
  /// - Throws: ``FeedError`` that names the key, such as a time zone that does not exist.
  func check(_ feed: FeedName) throws(FeedError)

  /// Opens the files on which records of all feeds depend, before a resident file is built.
  ///
  /// - Throws: ``FeedError`` if one exists and cannot be read.
  func prepare() throws(FeedError)

  /// The settings that affect the records of `feed`: part of the resident file's origin.
  func settings(of feed: FeedName) -> [String]

  /// Reads one feed's bytes, which messages call `name`.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if their format is wrong, such as an HTML page or truncated JSON.
  func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<Records>

  /// Builds the resident file from the available feeds, in the order of ``feeds``.
  ///
  /// The same parts and fingerprint give the same bytes.
  ///
  /// - Throws: ``FeedError`` if the data exceeds the limits of a file.
  func image(
    of parts: consuming [ParsedFeed<Records>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage
}

extension SubjectImporter {
  /// Messages name the feed.
  package var namesLocalFiles: Bool { false }

  /// None but ``feeds``.
  package func feeds(of file: ResidentFile) -> [FeedName] { feeds }

  /// Nothing is configured.
  package func check(_ feed: FeedName) throws(FeedError) {}

  /// Records depend on their sources alone.
  package func prepare() throws(FeedError) {}

  /// There are none.
  package func settings(of feed: FeedName) -> [String] { [] }

  /// The origin of a resident file built from `copies`.
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

/// A feed's parsed bytes: its part of a resident file.
package struct ParsedFeed<Records: Sendable>: Sendable {
  /// The feed.
  package let feed: FeedName
  /// Whether its source is one of the samples.
  package var isSample = false
  /// The outcome of the records.
  package var contents: FeedContents
  /// The records that are kept.
  package var records: Records
  /// Their positions, if they are places.
  package var places: [PlaceSample.Place]

  /// Makes a parsed feed.
  package init(_ feed: FeedName, _ contents: FeedContents, _ records: Records, places: [PlaceSample.Place] = []) {
    (self.feed, self.contents, self.records, self.places) = (feed, contents, records, places)
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

  /// Makes the contents.
  package init(_ counts: RecordCounts, notes: [RecordNote] = [], remarks: [String] = []) {
    (self.counts, self.notes, self.remarks) = (counts, notes, remarks)
  }

  /// The contents of a source with `notes` and `kept` good records.
  ///
  /// A source without a good record is refused unless it `mayBeEmpty`: a broken upstream looks the same, and accepting
  /// it would delete the served data.
  ///
  /// - Throws: ``FeedError``, also if a record is neither kept nor noted.
  init(_ notes: ImportNotes, kept: Int, mayBeEmpty: Bool = false) throws(FeedError) {
    self.init(try notes.counts(kept: kept), notes: notes.notes, remarks: notes.lines)
    guard kept == 0, !mayBeEmpty else { return }
    let found = notes.read == 0 ? "the list is empty" : "not one of \(notes.read) records is good"
    let lines = ["\(notes.source): \(found); nothing was imported"] + remarks
    throw FeedError(.badData, lines.joined(separator: "\n"))
  }
}
