/// A message about a feed, with the known counts of its records.
public protocol CountedRecords {
  /// Records that are served.
  var records: UInt64? { get set }
  /// Records of the source that were skipped as bad.
  var skipped: UInt64? { get set }
  /// All records of the source.
  var read: UInt64? { get set }
  /// Records of the source that say no more than one that is kept.
  var repeated: UInt64? { get set }
  /// Records of the source in whose place another one about the same thing is kept.
  var replaced: UInt64? { get set }
  /// Kept records with a remark.
  var remarked: UInt64? { get set }
}

extension CountedRecords {
  /// The outcome of the source's records; `nil` before the first success, or if not all are counted.
  ///
  /// Setting it sets `records`, `skipped`, `read`, `repeated`, `replaced` and `remarked`.
  public var counts: RecordCounts? {
    get {
      guard let records, let repeated, let replaced, let skipped else { return nil }
      return RecordCounts(kept: records, repeated: repeated, replaced: replaced, skipped: skipped, remarked: remarked)
    }
    set {
      (records, skipped, read) = (newValue?.kept, newValue?.skipped, newValue?.read)
      (repeated, replaced, remarked) = (newValue?.repeated, newValue?.replaced, newValue?.remarked)
    }
  }
}

extension FeedReport: CountedRecords {}
extension FeedOutcome: CountedRecords {}
