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
  /// The number of skipped records and of remarks by their reason, without what it quotes of the source.
  private var reasons: [TextKey: UInt64] = [:]
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
    if fate == .skipped { countReason("skipped", reason, count) }
    list(position, fate, reason)
  }

  private mutating func list(_ position: Int, _ fate: RecordNote.Fate, _ reason: String) {
    guard listed[fate, default: []].count < Self.listed else { return }
    let note = RecordNote(record: UInt64(position), fate: fate, reason: reason.excerpt(Self.maximumReason))
    listed[fate, default: []].append(note)
  }

  /// Adds remarks on the kept record at `position`, if there are any.
  package mutating func remark(_ position: Int, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    remarked += 1
    for text in texts { countReason("remarked", text, 1) }
    list(position, .remarked, texts.joined(separator: "; "))
  }

  /// The counts, given how many records are `kept`.
  ///
  /// - Throws: ``FeedError`` of reason `internalFault` if a record that was read is neither kept nor noted: data that
  ///   silently lost a record must not replace good data.
  package func counts(kept: Int) throws(FeedError) -> RecordCounts {
    let counts = RecordCounts(
      kept: UInt64(kept), repeated: counts[.repeated] ?? 0, replaced: counts[.replaced] ?? 0, skipped: skipped,
      remarked: remarked == 0 ? nil : remarked)
    guard counts.read == read else {
      throw FeedError(
        .internalFault, "\(source): the import does not add up: \(read) records were read, but \(counts)")
    }
    return counts
  }

  /// The first records that are not kept, and if there are few, the first with a remark; by position.
  package var notes: [RecordNote] { Array((lost + remarks).prefix(Self.listed)).sorted { $0.record < $1.record } }

  private var remarks: [RecordNote] { listed[.remarked] ?? [] }

  private var lost: [RecordNote] {
    let all = listed.filter { $0.key != .remarked }.values.joined()
    return Array(all.sorted { $0.record < $1.record }.prefix(Self.listed))
  }

  /// Everything, as readable lines.
  package var lines: [String] {
    let count = counts.values.reduce(0, +)
    let lines = lost.map { "\(source): \($0)" }
    let rest = "\(source): \(count) records are not kept; the first \(lines.count) are listed"
    let remarks = remarks.map { "\(source): record \($0.record): \($0.reason)" }
    return lines + (count > UInt64(lines.count) ? [rest] : []) + reasonLines + remarks + remarkedRest
  }

  /// Most reasons that are counted separately.
  private static let maximumReasons = 32

  private mutating func countReason(_ fate: String, _ text: String, _ count: UInt64) {
    let parts = text.excerpt(Self.maximumReason).split(separator: "\"", omittingEmptySubsequences: false)
    let words = parts.enumerated().map { $0.offset.isMultiple(of: 2) ? String($0.element) : "…" }.joined()
    let reason = "\(fate): \(words)"
    let isNew = reasons[reason] == nil
    let key = isNew && reasons.count >= Self.maximumReasons ? "\(fate): other problems" : reason
    reasons[TextKey(key), default: 0] += count
  }

  /// The numbers of records by reason, if there are several reasons and not all records are listed.
  private var reasonLines: [String] {
    guard reasons.count > 1, lost.count == Self.listed || remarked > UInt64(remarks.count) else { return [] }
    let sorted = reasons.sorted { one, other in
      one.value == other.value ? one.key.text < other.key.text : one.value > other.value
    }
    return sorted.map { "\(source): \($0.value) \($0.key.text)" }
  }

  private var remarkedRest: [String] {
    guard remarked > UInt64(remarks.count) else { return [] }
    return ["\(source): \(remarked) kept records have notes; the first \(remarks.count) are listed"]
  }
}
