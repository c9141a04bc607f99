package import CitiesProtocol

/// How much of a source may be lost at once before its new state is refused.
///
/// A source that is out of order can deliver a short list, an empty one, or one whose records are mostly bad, and each
/// is sound JSON. Such a list does not replace good data from the same URL unless the refresh is forced.
package struct LossLimits: Equatable, Sendable {
  /// Percentages that are accepted; 100 switches the rule off.
  package static let percentRange: ClosedRange<Int64> = 0...100
  /// Smallest stores that are accepted, in records.
  package static let recordRange: ClosedRange<Int64> = 1...1_000_000_000

  /// The part of the records that may be lost, or be bad, in percent.
  package var percent: Int64 = 50
  /// Records that a store must hold for the rule to apply: a shorter list may change as it likes.
  package var records: Int64 = 20

  /// The usual limits.
  package init() {}

  /// The figures of a loss that is too large; `nil` if `new` may replace `old`.
  ///
  /// Two rules, each beyond ``percent``: the part of the old records that is lost, and the part of the new ones that is
  /// bad. The second counts only if that part has grown: a source that has always been so does not shrink.
  package func excess(from old: RecordCounts, to new: RecordCounts) -> String? {
    guard old.kept >= UInt64(clamping: records), percent < Self.percentRange.upperBound else { return nil }
    let allowed = Double(percent) / 100
    let lost = 1 - Double(new.kept) / Double(old.kept)
    let isWorse = new.badPart > allowed && new.badPart > old.badPart
    guard lost > allowed || isWorse else { return nil }
    return "\(new.kept) good and \(new.skipped) bad records instead of \(old.kept) good and \(old.skipped) bad"
  }
}

extension RecordCounts {
  /// The part of the good and the bad records that is bad, from 0 to 1; 0 of an empty list.
  fileprivate var badPart: Double {
    let all = Double(kept) + Double(skipped)
    return all == 0 ? 0 : Double(skipped) / all
  }
}
