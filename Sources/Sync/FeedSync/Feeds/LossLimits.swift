package import CitiesProtocol

/// How many records a source may lose at once before its new state is refused.
///
/// A broken source can deliver valid JSON with a short list, an empty one, or mostly bad records. Such a list does not
/// replace good data from the same URL unless the refresh is forced.
package struct LossLimits: Codable, Equatable, Sendable {
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

  /// Describes a source of which most records are bad, with one of them; `nil` if `new` may be its first data.
  package func excess(of new: FeedContents) -> String? {
    let counts = new.counts
    let count = UInt128(counts.kept) + UInt128(counts.skipped)
    guard count >= UInt128(clamping: records), exceeds(counts.skipped, of: count) else { return nil }
    let example = new.remarks.first.map { ", such as \($0)" } ?? ""
    return "only \(counts.kept) of \(count) records can be read\(example); nothing was imported"
  }

  /// Describes a source of which most places have moved far; `nil` if `new` may replace `old`.
  func excess(from old: PlaceSample?, to new: [PlaceSample.Place]) -> String? {
    guard let old else { return nil }
    let (moved, compared) = old.moved(to: new)
    guard compared >= Self.comparedPlaces, exceeds(UInt64(moved), of: UInt128(compared)) else { return nil }
    return "\(moved) of \(compared) places that were compared are more than 100 km away from where they were"
  }

  /// The fewest places of a sample that are in the new list, to which the rule applies.
  private static let comparedPlaces = 20

  /// Describes an excessive loss; `nil` if `new` may replace `old`.
  ///
  /// Two shares are limited to ``percent``: old records that are lost, and new records that are bad. The second counts
  /// only if it has grown: a source that has always been that bad is not shrinking. The first is a share of the `most`
  /// records of the last days, so that no series of small steps loses more.
  package func excess(from old: RecordCounts, to new: RecordCounts, most: UInt64 = 0) -> String? {
    let most = max(most, old.kept)
    guard most >= UInt64(clamping: records) else { return nil }
    let isShorter = new.kept < most && exceeds(most - new.kept, of: UInt128(most))
    let isWorse =
      exceeds(new.skipped, of: UInt128(new.kept) + UInt128(new.skipped))
      && UInt128(new.skipped) * UInt128(old.kept) > UInt128(old.skipped) * UInt128(new.kept)
    guard isShorter || isWorse else { return nil }
    let before = most > old.kept ? ", and \(most) good within seven days" : ""
    return "\(new.kept) good and \(new.skipped) bad records instead of \(old.kept) good and \(old.skipped) bad\(before)"
  }

  /// Whether a part is more than ``percent`` of the whole: in whole numbers, so that exactly the limit is allowed.
  private func exceeds(_ part: UInt64, of whole: UInt128) -> Bool { UInt128(part) * 100 > UInt128(percent) * whole }
}
