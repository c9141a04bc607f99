package import CitiesProtocol

/// The outcome of a source's records: how many were read, which of them are not kept, and what is odd about kept ones.
///
/// A reader counts every record with ``countRecord()`` as it takes it from the source, and notes those that are not
/// kept. Kept records are counted by their new owner, so that ``counts(kept:)`` finds a record that got lost in
/// between.
package struct ImportNotes: Equatable, Sendable {
  /// Records that are listed, of each kind.
  package static let listed = FeedReport.maximumNotes
  /// Characters of a reason that are kept: it may quote the source.
  package static let maximumReason = 300

  /// Records that were read.
  package private(set) var read: UInt64 = 0
  private var counts: [RecordNote.Fate: UInt64] = [:]
  private var remarked: UInt64 = 0
  private var listed: [RecordNote.Fate: [RecordNote]] = [:]
  private var remarks: [String] = []
  private let source: String

  /// Starts with nothing read of `source`.
  package init(source: String) { self.source = source }

  /// Records that were skipped.
  package var skipped: UInt64 { counts[.skipped] ?? 0 }

  /// Counts another record of the source.
  package mutating func countRecord() { read += 1 }

  /// Notes that the record at `position`, counted from 1, cannot be used, and why.
  package mutating func skip(_ position: Int, _ reason: String) { note(position, .skipped, reason) }

  /// Notes that `count` records cannot be used for one reason; the first is at `position`.
  package mutating func skip(_ position: Int, _ reason: String, count: Int) {
    note(position, .skipped, reason, count: UInt64(count))
  }

  /// Notes that the record at `position` says no more than one that is kept.
  package mutating func `repeat`(_ position: Int, _ reason: String) { note(position, .repeated, reason) }

  /// Notes that another record is kept in the place of the one at `position`.
  package mutating func replace(_ position: Int, _ reason: String) { note(position, .replaced, reason) }

  /// Notes something about the record at `position` that was kept.
  package mutating func remark(_ position: Int, _ text: String) {
    remarked += 1
    guard remarks.count < Self.listed else { return }
    remarks.append("\(source): record \(position): \(text)")
  }

  private mutating func note(
    _ position: Int, _ fate: RecordNote.Fate, _ reason: String, count: UInt64 = 1
  ) {
    counts[fate, default: 0] += count
    guard listed[fate, default: []].count < Self.listed else { return }
    let note = RecordNote(record: UInt64(position), fate: fate, reason: String(reason.prefix(Self.maximumReason)))
    listed[fate, default: []].append(note)
  }

  /// The counts, with those that are `kept`.
  ///
  /// - Throws: ``FeedError`` of reason `internalFault` if a record that was read is neither kept nor noted: data that
  ///   silently lost a record must not replace good data.
  package func counts(kept: Int) throws(FeedError) -> RecordCounts {
    let counts = RecordCounts(
      kept: UInt64(kept), repeated: counts[.repeated] ?? 0, replaced: counts[.replaced] ?? 0, skipped: skipped)
    guard counts.read == read else {
      throw FeedError(
        .internalFault, "\(source): the import does not add up: \(read) records were read, but \(counts)")
    }
    return counts
  }

  /// The first records that are not kept, by position.
  package var notes: [RecordNote] {
    Array(listed.values.joined().sorted { $0.record < $1.record }.prefix(Self.listed))
  }

  /// Everything, in lines for people.
  package var lines: [String] {
    let lost = counts.values.reduce(0, +)
    let lines = notes.map { "\(source): \($0)" }
    let rest = "\(source): \(lost) records are not kept; the first \(lines.count) are listed"
    return lines + (lost > UInt64(lines.count) ? [rest] : []) + remarks + remarkedRest
  }

  private var remarkedRest: [String] {
    guard remarked > UInt64(remarks.count) else { return [] }
    return ["\(source): \(remarked) kept records have notes; the first \(remarks.count) are listed"]
  }
}
