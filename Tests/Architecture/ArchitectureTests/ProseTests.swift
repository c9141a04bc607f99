import TestSupport
import Testing

/// Comments, names and pages in plain English: phrases that almost always mark a sentence to rewrite.
///
/// A phrase with a legitimate use is listed with it in ``Prose/legitimate``; everything else is rewritten, not listed.
@Suite struct ProseTests {
  @Test(arguments: ["Sources", "Tests", "Protocol", "contrib", ".github"])
  func commentsAreInPlainEnglish(folder: String) throws {
    for file in Repository.files(under: folder) {
      guard let comments = Prose.comments(of: file) else { continue }
      let text = try Repository.text(Repository.path(file))
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        guard let comment = comments(line) else { continue }
        let found = Prose.phrases(in: comment)
        #expect(found.isEmpty, "\(file):\(index + 1): \(found) in \"\(comment)\": see the rules in CONTRIBUTING.md")
      }
    }
  }

  @Test func namesAreInPlainEnglish() throws {
    for folder in ["Sources", "Tests", "Protocol"] {
      for file in Repository.files(under: folder) where file.hasSuffix(".swift") && !file.hasSuffix("ProseTests.swift")
      {
        let text = try Repository.text(Repository.path(file))
        for name in Prose.declaredNames(in: text) {
          let found = Prose.words(ofName: name).filter(Prose.wordsOfNames.contains)
          #expect(found.isEmpty, "\(file): the name \(name) holds \(found)")
        }
      }
    }
  }

  @Test(arguments: [
    ("An answer that is no map.", ["is no"]), ("There is no map, and it is no longer wanted.", []),
    ("What is left comes later.", ["what is"]), ("It says what is left.", []),
    ("One of so many; told anew.", ["so many", "told", "anew"]), ("At the begin of `told`.", ["the begin"]),
    ("An allocation a request.", ["allocation a request"]), ("It retells nothing in frontier.", []),
  ])
  func aPhraseIsFound(comment: String, expected: [String]) {
    #expect(Prose.phrases(in: comment[...]) == expected)
  }

  @Test func aNameIsSplitIntoWords() {
    #expect(Prose.words(ofName: "wasToldURLTwice") == ["was", "told", "urltwice"])
    #expect(
      Prose.declaredNames(in: "  func tell(_ a: Int) {\n  let x = y\n  case lost\n// var no\n") == [
        "tell", "x", "lost",
      ])
  }
}

/// The phrases, and the places where prose stands.
private enum Prose {
  /// Words in lower case, one space between them; `what is` only counts at the start of a sentence.
  static let phrases = [
    "told", "tells", "tell", "anew", "behind", "in front", "so many", "for ever", "whoever", "lent", "mend", "mends",
    "mended",
    "dearer", "dearest", "is no", "are no", "was no", "were no", "the begin", "its begin", "a begin", "one begin",
    "allocation a request", "once a request", "once a second", "calls a request", "allocations a request",
  ]
  /// Starts of sentences.
  static let starts = ["what is", "what was", "what are", "what were", "whoever"]
  /// Where a phrase is right: the words around it.
  static let legitimate = [
    "there is no", "there are no", "there was no", "there were no", "is no longer", "are no longer", "is no more",
    "was no longer",
  ]
  /// Words that no name holds.
  static let wordsOfNames: Set = ["told", "tell", "tells", "anew", "behind", "lent", "mend"]

  /// Gives the comment of a line, for the kind of file that `file` is; `nil` for files without prose.
  static func comments(of file: String) -> ((Substring) -> Substring?)? {
    if file.contains("/vectors/") || file.contains("/screens/") || file.contains("__pycache__")
      || file.hasSuffix("ProseTests.swift")
    {
      return nil
    }
    if file.hasSuffix(".swift") { return { comment(in: $0, after: "//") } }
    if file.hasSuffix(".md") || file.hasSuffix(".txt") { return { $0 } }
    if file.hasSuffix(".c") || file.hasSuffix(".h") {
      return { comment(in: $0, after: "//") ?? comment(in: $0, after: "*") }
    }
    if file.hasSuffix(".py") || file.hasPrefix("contrib/"), !file.contains("/data/sample/"), !file.hasSuffix(".gz"),
      !file.hasSuffix(".bin"),
      !file.contains("/man/"), !file.contains("/completions/"), !file.hasSuffix(".svg")
    {
      return { comment(in: $0, after: "#") ?? comment(in: $0, after: "\"\"\"") }
    }
    return nil
  }

  private static func comment(in line: Substring, after mark: String) -> Substring? {
    let parts = line.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].last?.isWhitespace ?? true else { return nil }
    return parts[1]
  }

  /// The phrases in `comment`, outside code between backquotes.
  static func phrases(in comment: Substring) -> [String] {
    let prose = comment.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset.isMultiple(of: 2) ? String($0.element) : " x " }.joined()
    var found: [String] = []
    for sentence in prose.lowercased().split(whereSeparator: { ".;:!?()".contains($0) }) {
      let words = sentence.split { !$0.isLetter && $0 != "'" }.joined(separator: " ")
      var padded = " \(words) "
      for use in legitimate {
        padded = padded.split(separator: " \(use) ", omittingEmptySubsequences: false).joined(separator: " x ")
      }
      found += starts.filter { padded.hasPrefix(" \($0) ") && !phrases.contains($0) }
      found += phrases.filter { padded.split(separator: " \($0) ", omittingEmptySubsequences: false).count > 1 }
    }
    return found
  }

  /// The names that a Swift file declares with a keyword at the start of a line.
  static func declaredNames(in text: String) -> [String] {
    let keywords: Set<Substring> = [
      "func", "var", "let", "case", "struct", "class", "enum", "protocol", "typealias", "actor",
    ]
    return text.split(separator: "\n").compactMap { line in
      let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "/" }
      guard !line.drop(while: \.isWhitespace).hasPrefix("//"), let at = words.firstIndex(where: keywords.contains),
        at < 4
      else { return nil }
      return at + 1 < words.count ? String(words[at + 1]) : nil
    }
  }

  /// The words of a name in camel case, in lower case.
  static func words(ofName name: String) -> [String] {
    var words: [String] = []
    var previous: Character = " "
    for character in name {
      if words.isEmpty || (character.isUppercase && !previous.isUppercase) { words.append("") }
      words[words.count - 1].append(contentsOf: character.lowercased())
      previous = character
    }
    return words
  }
}
