/// The findings of `doctor` on a terminal: grouped, each as soon as it is known, with a summary at the end.
struct DoctorPage {
  /// The headings of the groups, and the first words of their checks; all other checks are about the server.
  private static let groups: [(head: String, words: Set<TextKey>)] = [
    ("Programs", ["program"]), ("Data", ["data", "feed", "feeds"]), ("Files", ["state", "file", "private"]),
    ("Configuration", ["configuration"]),
  ]

  let descriptor: Int32
  let colours: Colours?
  private var head: String?
  private var counts: [Diagnosis.State: Int] = [:]
  /// Feeds with the same finding, which are merged.
  private var feeds: [Diagnosis] = []

  init(on descriptor: Int32, _ colours: Colours?) { (self.descriptor, self.colours) = (descriptor, colours) }

  /// The text to write after another finding.
  mutating func add(_ finding: Diagnosis) -> String {
    counts[finding.state, default: 0] += 1
    guard finding.feed != nil else { return flush() + paragraph(finding) }
    defer { feeds.append(finding) }
    return feeds.first.map { $0.ofAnyFeed == finding.ofAnyFeed } ?? true ? "" : flush()
  }

  /// The end of the page: pending feeds, and the summary.
  mutating func end() -> String {
    let (problems, notes, ok) = (counts[.wrong] ?? 0, counts[.note] ?? 0, counts[.ok] ?? 0)
    let text = problems == 0 ? "no problems" : problems == 1 ? "1 problem" : "\(problems) problems"
    let others = (notes == 0 ? "" : notes == 1 ? ", 1 note" : ", \(notes) notes") + ", \(ok) ok\n"
    return flush() + "\n" + (colours?.painted(text, problems == 0 ? .ok : .failed) ?? text) + others
  }

  private mutating func flush() -> String {
    guard let first = feeds.first else { return "" }
    defer { feeds = [] }
    guard feeds.count > 1 else { return paragraph(first) }
    var merged = first.ofAnyFeed
    merged.check = "feeds " + feeds.compactMap(\.feed).joined(separator: ", ")
    return paragraph(merged)
  }

  private mutating func paragraph(_ finding: Diagnosis) -> String {
    let word = String(finding.check.prefix { !$0.is(" ") })
    let head = Self.groups.first { $0.words.contains(word) }?.head ?? "Server"
    defer { self.head = head }
    let paragraph = finding.paragraph(on: descriptor, colours)
    guard head != self.head else { return paragraph }
    return (self.head == nil ? "" : "\n") + (colours?.painted(head, .title) ?? head) + "\n" + paragraph
  }
}

extension Diagnosis {
  /// The feed to which it refers, if any.
  fileprivate var feed: String? { check.hasPrefix("feed ") ? String(check.dropFirst(5)) : nil }

  /// The same finding with NAME in place of the feed's name.
  fileprivate var ofAnyFeed: Diagnosis {
    guard let feed else { return self }
    let remedy = remedy?.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0 == feed ? "NAME" : $0 == feed + "," ? "NAME," : $0 }.joined(separator: " ")
    return Diagnosis(check: "feed", state: state, message: message, remedy: remedy)
  }
}
