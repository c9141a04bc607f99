package import CitiesProtocol
package import Resident

/// Turns the stored copies of a subject's feeds into its resident file: one conforming type a subject.
///
/// It reads bytes and makes an image; downloading, storing and writing are others' work.
package protocol SubjectImporter: Sendable {
  /// The feeds that the resident file is made from, in the order of ``FeedName/all``.
  var feeds: [FeedName] { get }
  /// The resident file's kind.
  var kind: ResidentKind { get }

  /// Checks what is configured for the records of `feed`, before it is fetched.
  ///
  /// - Throws: ``FeedError`` that names the key, such as a time zone that does not exist.
  func check(_ feed: FeedName) throws(FeedError)

  /// Reads one feed's bytes before they take the place of the last good copy.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if they are not what the feed delivers, as an HTML page or cut JSON.
  func examine(_ feed: FeedName, _ bytes: [UInt8]) throws(FeedError) -> FeedContents

  /// Makes the resident file from the copies that there are; feeds without one are left out.
  ///
  /// The same copies give the same bytes.
  ///
  /// - Throws: ``FeedError`` if a copy cannot be read.
  func image(of copies: [FeedName: SourceCopy]) throws(FeedError) -> ResidentImage
}

extension SubjectImporter {
  /// Nothing is configured.
  package func check(_ feed: FeedName) throws(FeedError) {}
}

/// What a feed delivered, as it came.
package struct SourceCopy: Equatable, Sendable {
  /// The body, decompressed.
  package var bytes: [UInt8]
  /// Whether it is one of the made-up samples.
  package var isSample: Bool

  /// Makes a copy.
  package init(bytes: [UInt8], isSample: Bool = false) { (self.bytes, self.isSample) = (bytes, isSample) }
}

/// What is in a feed's bytes.
package struct FeedContents: Equatable, Sendable {
  /// What became of the records.
  package var counts: RecordCounts
  /// The first records that are not kept.
  package var notes: [RecordNote]
  /// What was odd, in lines for the log, with positions.
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

extension [FeedName: SourceCopy] {
  /// One number for all copies, by the names of their feeds: XXH64 over names, sample flags and bytes, each behind its
  /// length.
  var fingerprint: UInt64 {
    var hash = XXH64()
    for (feed, copy) in sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      Array("\(feed.rawValue) \(copy.isSample) \(copy.bytes.count)\n".utf8).withUnsafeBytes { hash.update($0) }
      copy.bytes.withUnsafeBytes { hash.update($0) }
    }
    return hash.value
  }
}
