/// The outcome of the records of a source: each one that was read is kept, repeated, replaced or skipped.
public struct RecordCounts: Equatable, Sendable, CustomStringConvertible {
  /// Records that are served.
  public var kept: UInt64
  /// Records that add nothing to a kept one.
  public var repeated: UInt64
  /// Records that another record of the same thing replaces.
  public var replaced: UInt64
  /// Records that cannot be used.
  public var skipped: UInt64

  /// Makes the counts.
  public init(kept: UInt64, repeated: UInt64 = 0, replaced: UInt64 = 0, skipped: UInt64 = 0) {
    (self.kept, self.repeated, self.replaced, self.skipped) = (kept, repeated, replaced, skipped)
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

/// Why a record of a source is not served as such.
public struct RecordNote: Codable, Equatable, Sendable, CustomStringConvertible {
  /// Its outcome.
  public var fate: Fate
  /// One English clause; it may quote the source.
  public var reason: String
  /// Its position in the source, from 1.
  public var record: UInt64

  /// Makes a note.
  public init(record: UInt64, fate: Fate, reason: String) {
    (self.record, self.fate, self.reason) = (record, fate, reason)
  }

  /// The outcome of a record: an open set of names.
  public struct Fate: RawRepresentable, Codable, Hashable, Sendable {
    /// The name on the wire.
    public var rawValue: String
    /// Any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It adds nothing to a kept one.
    public static let repeated = Fate(rawValue: "repeated")
    /// Another record of the same thing replaces it.
    public static let replaced = Fate(rawValue: "replaced")
    /// It cannot be used.
    public static let skipped = Fate(rawValue: "skipped")
  }

  /// The note in one line.
  public var description: String { "record \(record) \(fate.rawValue): \(reason)" }
}
