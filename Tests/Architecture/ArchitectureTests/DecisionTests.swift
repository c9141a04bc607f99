import TestSupport
import Testing

/// Records of decisions are few, listed and dated, and a number that a page or a comment cites leads to one.
@Suite struct DecisionTests {
  /// A successor reads all of them in an afternoon.
  private static let mostRecords = 30

  private let index = DecisionIndex()

  @Test func `every record is listed with its title and date`() throws {
    #expect(!index.files.isEmpty)
    for name in index.files {
      #expect(name.contains(/^\d{4}-[a-z0-9-]+\.md$/), "\(name): a record is named NUMBER-SUBJECT.md")
      let record = try Repository.text(Repository.path("\(DecisionIndex.folder)/\(name)"))
      let head = try #require(
        record.firstMatch(of: #/^# (\d+\. .+)\n\nDate: (?:\d{4}-\d\d-\d\d, changed )?(\d{4}-\d\d-\d\d)\nStatus: /#),
        "\(name) starts with other lines than \"# NUMBER. TITLE\", \"Date: DATE, changed DATE\" and \"Status:\"")
      #expect(index.text.contains("| [\(head.1)](\(name)) | \(head.2) |\n"), "its line in the index differs: \(name)")
      for heading in ["Decision", "Why"] {
        #expect(record.contains("\n## \(heading)\n"), "\(name) has no heading \"\(heading)\"")
      }
    }
  }

  @Test func `every number is in force or folded into a record in force`() {
    #expect(index.inForce.sorted() == index.files.compactMap { Int($0.prefix(4)) }, "a line of the index has no record")
    let numbers = index.inForce + index.folded.map(\.key)
    #expect(numbers.sorted() == Array(1...(numbers.max() ?? 1)), "a number is missing, or is used twice")
    for (number, targets) in index.folded {
      #expect(!targets.isEmpty && Set(targets).isSubset(of: index.inForce), "\(number) is folded into \(targets)")
    }
  }

  @Test func `few records are in force`() {
    #expect(index.inForce.count <= Self.mostRecords, "fold records of one area into one")
  }

  @Test func `every citation is of a record in force`() throws {
    var count = 0
    let folders = ["Sources", "Tests", "Protocol", "contrib", ".github"]
    for file in folders.flatMap(Repository.files(under:)) + ["README.md", "Package.swift"]
    where !file.hasSuffix(".gz") && !file.hasSuffix("/DecisionTests.swift") {
      let bytes = try Repository.bytes(Repository.path(file))
      for (number, line) in Citations.numbers(in: bytes, after: Citations.words(in: file)) {
        count += 1
        #expect(
          index.inForce.contains(number),
          "\(file):\(line): decision \(number) \(index.folded[number].map { "is in \($0) now" } ?? "does not exist")")
      }
    }
    #expect(count >= 20, "only \(count) citations were found")
  }

  @Test(arguments: [
    ("See decision 51.", [51]), ("(decisions 17, 18 and 51)", [17, 18, 51]), ("[Decision 0037](x/0037-y.md)", [37]),
    ("/// by the rule of decision\n  /// 36, 2 of 3", [36]), ("in decisions/0021-a.md", [21]),
    ("decision 5.2 MB", [5]), ("a decision of 17", []), ("decisions, 17", []), ("indecision 4", []),
  ])
  func `a citation is found`(text: String, expected: [Int]) {
    #expect(Citations.numbers(in: Array(text.utf8), after: ["decision"]).map(\.number) == expected)
  }
}

/// The list of decisions: which numbers have a record, and where the others went.
private struct DecisionIndex {
  static let folder = "contrib/docs/decisions"

  /// The names of the records.
  let files = Repository.names(in: Repository.path(folder)).filter { $0 != "README.md" }
  /// The page that lists them.
  let text = (try? Repository.text(Repository.path("\(folder)/README.md"))) ?? ""

  /// The numbers of the records that are listed, in the order of the page.
  var inForce: [Int] { text.matches(of: #/\n\| \[(\d+)\. /#).compactMap { Int($0.1) } }

  /// The numbers without a record, with the records that contain them.
  var folded: [Int: [Int]] {
    Dictionary(
      text.matches(of: #/\n\| (\d+)\. [^|\n]+ \| ([\d, ]+) \|/#).compactMap { match in
        Int(match.1).map { ($0, match.2.split(separator: ", ").compactMap { Int($0) }) }
      }, uniquingKeysWith: +)
  }
}

/// Citations of decisions in pages and comments, read as bytes: as text the tree would take minutes.
private enum Citations {
  /// What introduces a number in `file`: in a source, "record 17" may be one of a feed.
  static func words(in file: String) -> [String] {
    file.hasPrefix("contrib/docs/") || file.hasPrefix(".github/") ? ["decision", "record"] : ["decision"]
  }

  /// The number after each of `words`, and all numbers after its plural ("17, 18 and 51"), with their lines.
  static func numbers(in text: [UInt8], after words: [String]) -> [(number: Int, line: Int)] {
    var (found, line): ([(number: Int, line: Int)], Int) = ([], 1)
    let words = words.map { Array($0.utf8) }
    for index in text.indices {
      if text[index] == UInt8(ascii: "\n") { line += 1 }
      for word in words where text[index] | 0x20 == word[0] && (index == 0 || !isLetter(text[index - 1])) {
        let end = index + word.count
        guard end <= text.count, text[(index + 1)..<end].elementsEqual(word.dropFirst()) else { continue }
        found += list(text[end...]).map { ($0, line) }
      }
    }
    return found
  }

  /// The numbers that `text` starts with, which follows the singular of a word.
  private static func list(_ text: ArraySlice<UInt8>) -> [Int] {
    let isPlural = text.first == UInt8(ascii: "s")
    var (rest, numbers) = (isPlural ? text.dropFirst() : text, [Int]())
    while numbers.isEmpty || isPlural {
      let gap = rest.prefix { (numbers.isEmpty ? " \n/#[" : ", \n/#and").utf8.contains($0) }
      let digits = rest[gap.endIndex...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard !gap.isEmpty, let number = Int(String(decoding: digits, as: UTF8.self)) else { break }
      numbers.append(number)
      rest = rest[digits.endIndex...]
    }
    return numbers
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
