package import CitiesProtocol

/// How many records a source may lose at once before its new state is refused.
///
/// A broken source can deliver valid JSON with a short list, an empty one, or mostly bad records. Such a list does not
/// replace good data from the same URL unless the refresh is forced.
package struct LossLimits: Equatable, Sendable {
  /// Valid percentages; 100 switches the rule off.
  package static let percentRange: ClosedRange<Int64> = 0...100
  /// Valid values of ``records``.
  package static let recordRange: ClosedRange<Int64> = 1...1_000_000_000

  /// The share of records that may be lost or bad, in percent.
  package var percent: Int64 = 50
  /// The fewest stored records to which the rule applies: a shorter list may change freely.
  package var records: Int64 = 20

  /// The usual limits.
  package init() {}

  /// Describes an excessive loss; `nil` if `new` may replace `old`.
  ///
  /// Two shares are limited to ``percent``: old records that are lost, and new records that are bad. The second counts
  /// only if it has grown: a source that has always been that bad is not shrinking.
  package func excess(from old: RecordCounts, to new: RecordCounts) -> String? {
    guard old.kept >= UInt64(clamping: records), percent < Self.percentRange.upperBound else { return nil }
    // In whole numbers, so that a loss of exactly the limit is allowed.
    func exceeds(_ part: UInt64, of whole: UInt128) -> Bool { UInt128(part) * 100 > UInt128(percent) * whole }
    let isShorter = new.kept < old.kept && exceeds(old.kept - new.kept, of: UInt128(old.kept))
    let isWorse =
      exceeds(new.skipped, of: UInt128(new.kept) + UInt128(new.skipped))
      && UInt128(new.skipped) * UInt128(old.kept) > UInt128(old.skipped) * UInt128(new.kept)
    guard isShorter || isWorse else { return nil }
    return "\(new.kept) good and \(new.skipped) bad records instead of \(old.kept) good and \(old.skipped) bad"
  }
}
