/// The outcome of the records of a source: each one that was read is kept, repeated, replaced or skipped.
public struct RecordCounts: Codable, Equatable, Sendable, CustomStringConvertible {
  /// Records that are served.
  public var kept: UInt64
  /// Records that add nothing to a kept one.
  public var repeated: UInt64
  /// Records that another record of the same thing replaces.
  public var replaced: UInt64
  /// Records that cannot be used.
  public var skipped: UInt64
  /// Records that are kept with a remark; `nil` if there are none.
  public var remarked: UInt64?

  /// Makes the counts.
  public init(
    kept: UInt64, repeated: UInt64 = 0, replaced: UInt64 = 0, skipped: UInt64 = 0, remarked: UInt64? = nil
  ) {
    (self.kept, self.repeated, self.replaced, self.skipped) = (kept, repeated, replaced, skipped)
    self.remarked = remarked
  }

  /// Whether all records have the same outcomes; a remark is none.
  public static func == (left: RecordCounts, right: RecordCounts) -> Bool {
    (left.kept, left.repeated, left.replaced, left.skipped)
      == (right.kept, right.repeated, right.replaced, right.skipped)
  }

  /// All records of the source.
  public var read: UInt64 {
    // Saturating, because a damaged file or a hostile peer may have any counts.
    [repeated, replaced, skipped].reduce(kept) { sum, count in
      let (total, overflows) = sum.addingReportingOverflow(count)
      return overflows ? .max : total
    }
  }

  /// All counts as a readable clause.
  public var description: String {
    "\(read) records read: \(kept) kept, \(repeated) repeated, \(replaced) replaced, \(skipped) skipped"
  }
}

extension RecordNote: CustomStringConvertible {
  /// The note in one line.
  public var description: String { "record \(record) \(fate.rawValue): \(reason)" }
}
