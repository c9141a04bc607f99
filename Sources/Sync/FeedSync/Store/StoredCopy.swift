package import CitiesProtocol

/// A feed's source as it was last delivered, with what is known of it.
package struct StoredCopy: Equatable, Sendable {
  /// What is known of it.
  package var details: Details
  /// The body as it came, unpacked by HTTP's own rules and by no others.
  package var bytes: [UInt8]

  /// Puts a copy together.
  package init(_ details: Details, _ bytes: [UInt8]) { (self.details, self.bytes) = (details, bytes) }

  /// What is known of a copy; in the file it is a CBOR map with these keys.
  package struct Details: Codable, Equatable, Sendable {
    /// Where it came from: a URL or a path.
    package var url: String
    /// When the source last delivered it or confirmed that it is still right, in seconds since 1970.
    package var confirmed: Int64
    /// What the server calls it.
    package var validators: SourceValidators
    /// Good records in it.
    package var records: UInt64
    /// Records in it that were skipped as bad.
    package var skipped: UInt64
    /// Records in it that say no more than one that is good; `nil` in a copy of a version that did not count them.
    package var repeated: UInt64?
    /// Records in it in whose place another one is good; `nil` in a copy of a version that did not count them.
    package var replaced: UInt64?
    /// The first records in it that are not good; `nil` in a copy of a version that did not note them.
    package var notes: [RecordNote]?
    /// Whether it is one of the made-up samples.
    package var sample: Bool

    /// Makes details.
    package init(
      url: String, confirmed: Int64, validators: SourceValidators = SourceValidators(), records: UInt64 = 0,
      skipped: UInt64 = 0, sample: Bool = false
    ) {
      self.url = url
      self.confirmed = confirmed
      self.validators = validators
      self.records = records
      self.skipped = skipped
      self.sample = sample
    }

    /// All counts; `nil` in a copy of a version that did not count everything.
    package var counts: RecordCounts? {
      guard let repeated, let replaced else { return nil }
      return RecordCounts(kept: records, repeated: repeated, replaced: replaced, skipped: skipped)
    }

    /// Takes over what was found in the body.
    package mutating func count(_ contents: FeedContents) {
      (records, skipped) = (contents.counts.kept, contents.counts.skipped)
      (repeated, replaced) = (contents.counts.repeated, contents.counts.replaced)
      notes = contents.notes
    }
  }

  /// Seconds since the source confirmed it; `nil` if that is said to be in the future, as after a clock was set back.
  package func age(at now: Int64) -> Int64? { details.confirmed <= now ? now - details.confirmed : nil }

  /// What an importer is given.
  package var source: SourceCopy { SourceCopy(bytes: bytes, isSample: details.sample) }
}
