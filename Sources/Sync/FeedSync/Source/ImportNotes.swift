import Base
package import CitiesProtocol

/// The outcome of a source's records: how many were read, which were not kept, and remarks on kept ones.
///
/// A reader counts every record with ``countRecord()`` and notes those that are not kept. The owner of the kept records
/// counts them separately, so that ``counts(kept:)`` detects a record lost in between.
package struct ImportNotes: Equatable, Sendable {
  /// Most records listed per fate.
  package static let listed = FeedReport.maximumNotes
  /// Most code points of a reason or remark, which may quote the source.
  package static let maximumReason = 300

  /// Records that were read.
  package private(set) var read: UInt64 = 0
  private var counts: [RecordNote.Fate: UInt64] = [:]
  private var remarked: UInt64 = 0
  private var listed: [RecordNote.Fate: [RecordNote]] = [:]
  private var remarks: [String] = []
  let source: String

  /// Starts with nothing read of `source`.
  package init(source: String) { self.source = source }

  /// Records that were skipped.
  package var skipped: UInt64 { counts[.skipped] ?? 0 }

  /// Counts another record of the source.
  package mutating func countRecord() { read += 1 }

  /// Notes the fate of `count` records that are not kept, and why; the first is at `position`, counted from 1.
  package mutating func note(_ position: Int, _ fate: RecordNote.Fate, _ reason: String, count: UInt64 = 1) {
    counts[fate, default: 0] += count
    guard listed[fate, default: []].count < Self.listed else { return }
    let note = RecordNote(record: UInt64(position), fate: fate, reason: reason.excerpt(Self.maximumReason))
    listed[fate, default: []].append(note)
  }

  /// Adds a remark on the kept record at `position`.
  package mutating func remark(_ position: Int, _ text: String) {
    remarked += 1
    guard remarks.count < Self.listed else { return }
    remarks.append("\(source): record \(position): \(text.excerpt(Self.maximumReason))")
  }

  /// The counts, given how many records are `kept`.
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

  /// Everything, as readable lines.
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
