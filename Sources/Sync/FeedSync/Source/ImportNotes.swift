/// What was odd about a source: bad records, counted and told by position, the first ones in full.
package struct ImportNotes: Equatable, Sendable {
  /// Lines that are told in full, of each kind.
  package static let told = 20

  /// Records that were skipped.
  package private(set) var skipped: UInt64 = 0
  private var remarked: UInt64 = 0
  private var skips: [String] = []
  private var remarks: [String] = []
  private let source: String

  /// Starts with nothing odd about `source`.
  package init(source: String) { self.source = source }

  /// Notes that the record at `position`, counted from 1, was left out, and why.
  package mutating func skip(_ position: Int, _ problem: String) {
    skipped += 1
    guard skips.count < Self.told else { return }
    skips.append("\(source): record \(position) skipped: \(problem)")
  }

  /// Notes something about the record at `position` that was kept.
  package mutating func remark(_ position: Int, _ text: String) {
    remarked += 1
    guard remarks.count < Self.told else { return }
    remarks.append("\(source): record \(position): \(text)")
  }

  /// Everything, in lines for people.
  package var lines: [String] {
    skips + Self.rest(skipped, "skipped", source) + remarks + Self.rest(remarked, "remarked on", source)
  }

  private static func rest(_ count: UInt64, _ verb: String, _ source: String) -> [String] {
    count > UInt64(told) ? ["\(source): \(count) records \(verb) in all, of which the first \(told) are told"] : []
  }
}
