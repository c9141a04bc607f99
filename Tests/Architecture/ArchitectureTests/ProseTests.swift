import TestSupport
import Testing

/// Comments, names and pages in plain English: phrases that almost always mark a sentence to rewrite.
///
/// A phrase with a legitimate use is listed with it in ``Prose/legitimate``; everything else is rewritten, not listed.
@Suite struct ProseTests {
  @Test(arguments: ["Sources", "Tests", "Protocol", "contrib", ".github", "README.md"])
  func `pages and comments are in plain English`(place: String) throws {
    let files = place.hasSuffix(".md") ? [place] : Repository.files(under: place)
    for file in files {
      guard let marks = Prose.marks(in: file) else { continue }
      let lines = try Repository.bytes(Repository.path(file)).split(separator: 10, omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        guard let comment = Prose.comment(in: line, after: marks) else { continue }
        let found = Prose.phrases(in: comment)
        #expect(found.isEmpty, "\(file):\(index + 1): \(found) in \"\(String(decoding: comment, as: UTF8.self))\"")
      }
    }
  }

  @Test(arguments: ["Sources", "Protocol"]) func `messages are in plain English`(folder: String) throws {
    for file in Repository.files(under: folder) where file.hasSuffix(".swift") {
      let lines = try Repository.bytes(Repository.path(file)).split(separator: 10, omittingEmptySubsequences: false)
      var isLong = false
      for (index, line) in lines.enumerated() {
        for text in Prose.literals(in: line, continuing: &isLong) {
          let found = Prose.phrases(in: text)
          #expect(found.isEmpty, "\(file):\(index + 1): \(found) in \"\(String(decoding: text, as: UTF8.self))\"")
        }
      }
    }
  }

  @Test func `a literal is found on one line and on several`() {
    var isLong = false
    func texts(_ line: String) -> [String] {
      Prose.literals(in: Array(line.utf8)[...], continuing: &isLong).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(texts(#"a("x \" y", b) + "z" // "not this""#) == [#"x \" y"#, "z"])
    #expect(texts("let a = \"\"\"") == [] && isLong)
    #expect(texts("  some \"text\"") == ["  some \"text\""] && isLong)
    #expect(texts("  \"\"\")") == [] && !isLong)
  }

  @Test func `names are in plain English`() throws {
    for folder in ["Sources", "Tests", "Protocol"] {
      for file in Repository.files(under: folder) where file.hasSuffix(".swift") && !file.hasSuffix("ProseTests.swift")
      {
        for name in Prose.declaredNames(in: try Repository.bytes(Repository.path(file))) {
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
  func `a phrase is found`(comment: String, expected: [String]) {
    #expect(Prose.phrases(in: Array(comment.utf8)[...]) == expected)
  }

  @Test(arguments: [
    ("README.md", "It is no map."), ("contrib/man/cities.7", "It is no map."), ("contrib/data/README", "It is no map."),
    ("contrib/man/citiesctl-search.1", ".Nd what is no map"), ("contrib/docs/decisions/README.md", "It is no map."),
    ("contrib/systemd/citiesd.service", "Description=It is no map"),
    ("contrib/packaging/debian/control", " It is no map"),
    ("contrib/build", "say \"it is no map\""), ("contrib/package", "  # It is no map."),
  ])
  func `every page that a user reads is read`(file: String, line: String) throws {
    let marks = try #require(Prose.marks(in: file))
    let prose = try #require(Prose.comment(in: Array(line.utf8)[...], after: marks))
    #expect(Prose.phrases(in: prose) == ["is no"])
  }

  @Test func `a comment is found after its mark`() {
    let line = Array("let a = b // why".utf8)[...]
    #expect(Prose.comment(in: line, after: ["//"]).map { Array($0) } == Array(" why".utf8))
    #expect(Prose.comment(in: Array("let url = \"http://x\"".utf8)[...], after: ["//"]) == nil)
    #expect(Prose.comment(in: line, after: []) == line)
  }

  @Test func `a name is split into words`() {
    #expect(Prose.words(ofName: "wasToldURLTwice") == ["was", "told", "urltwice"])
    let source = "  func tell(_ a: Int) {\n  let x = y\n  case lost\n// var no\n"
    #expect(Prose.declaredNames(in: Array(source.utf8)) == ["tell", "x", "lost"])
  }
}

/// The phrases, and the places where prose stands.
///
/// Files are read as bytes: as text the tree would take minutes.
private enum Prose {
  /// Words in lower case, one space between them.
  private static let phrases = table([
    "told", "tells", "tell", "anew", "behind", "in front", "so many", "for ever", "whoever", "lent", "mend", "mends",
    "mended", "dearer", "dearest", "is no", "are no", "was no", "were no", "the begin", "its begin", "a begin",
    "one begin", "allocation a request", "once a request", "once a second", "calls a request", "allocations a request",
  ])
  /// The same, at the start of a sentence.
  private static let starts = table(["what is", "what was", "what are", "what were"])
  /// Where a phrase is right: the words around it.
  private static let legitimate = table([
    "there is no", "there are no", "there was no", "there were no", "is no longer", "are no longer", "is no more",
    "was no longer",
  ])
  /// Words that no name holds.
  static let wordsOfNames: Set = ["told", "tell", "tells", "anew", "behind", "lent", "mend"]

  /// What comments of `file` start with; empty for a page, whose lines are all prose, and `nil` for a file without
  /// prose.
  static func marks(in file: String) -> [String]? {
    let without = [
      "/vectors/", "/screens/", "__pycache__", "/data/sample/", "/completions/", "ProseTests.swift", "contrib/LICENSE",
      "/copyright",
    ]
    guard !without.contains(where: file.contains) else { return nil }
    if file.hasSuffix(".swift") { return ["//"] }
    let isManual = file.contains("/man/") && [".1", ".5", ".7", ".8"].contains(where: file.hasSuffix)
    let pages = ["contrib/data/README", "debian/control"]
    if isManual || [".md", ".txt"].contains(where: file.hasSuffix) || pages.contains(where: file.hasSuffix) {
      return []
    }
    if [".service", ".socket"].contains(where: file.hasSuffix) { return ["#", "Description="] }
    if file.hasSuffix(".c") || file.hasSuffix(".h") { return ["//", "*"] }
    let isScript = file.hasSuffix(".py") || file.hasPrefix("contrib/")
    return isScript && ![".gz", ".bin", ".svg"].contains(where: file.hasSuffix)
      ? ["#", "\"\"\"", "say ", "die ", "printf "] : nil
  }

  /// What follows the first of `marks` in `line`, if white space or nothing stands before it.
  static func comment(in line: ArraySlice<UInt8>, after marks: [String]) -> ArraySlice<UInt8>? {
    guard !marks.isEmpty else { return line }
    for mark in marks.map({ Array($0.utf8) }) {
      for index in line.indices where line[index] == mark[0] && line[index...].starts(with: mark) {
        guard index == line.startIndex || line[index - 1] == 32 else { break }
        return line[(index + mark.count)...]
      }
    }
    return nil
  }

  /// The texts between double quotes in `line`, which may begin inside a literal of several lines.
  ///
  /// What is interpolated into a text counts as a part of it.
  static func literals(in line: ArraySlice<UInt8>, continuing isLong: inout Bool) -> [ArraySlice<UInt8>] {
    let quote = UInt8(ascii: "\"")
    let ends = line.indices.contains { line[$0...].starts(with: [quote, quote, quote]) }
    guard !isLong, !ends else {
      defer { if ends { isLong.toggle() } }
      return isLong && !ends ? [line] : []
    }
    var (found, start, index): ([ArraySlice<UInt8>], Int?, Int) = ([], nil, line.startIndex)
    while index < line.endIndex {
      if start == nil, line[index...].starts(with: "//".utf8) { break }
      if line[index] == UInt8(ascii: "\\") {
        index += 1
      } else if line[index] == quote {
        if let begin = start { found.append(line[begin..<index]) }
        start = start == nil ? index + 1 : nil
      }
      index += 1
    }
    return found
  }

  /// The phrases in `comment`, outside code between backquotes.
  static func phrases(in comment: ArraySlice<UInt8>) -> [String] {
    var found: [String] = []
    for words in sentences(of: comment) {
      var index = 0
      while index < words.count {
        if let use = phrase(of: legitimate, at: index, in: words) {
          index += use.count
          continue
        }
        if index == 0, let start = phrase(of: starts, at: 0, in: words) { found.append(start.joined(separator: " ")) }
        if let phrase = phrase(of: phrases, at: index, in: words) { found.append(phrase.joined(separator: " ")) }
        index += 1
      }
    }
    return found
  }

  private static func table(_ phrases: [String]) -> [String: [[String]]] {
    Dictionary(grouping: phrases.map { $0.split(separator: " ").map(String.init) }) { $0[0] }
  }

  private static func phrase(of table: [String: [[String]]], at index: Int, in words: [String]) -> [String]? {
    table[words[index]]?.first { words[index...].starts(with: $0) }
  }

  /// The words of each sentence, in lower case; code counts as a word.
  private static func sentences(of comment: ArraySlice<UInt8>) -> [[String]] {
    var (sentences, word, isCode): ([[String]], [UInt8], Bool) = ([[]], [], false)
    func endWord() {
      if !word.isEmpty { sentences[sentences.count - 1].append(String(decoding: word, as: UTF8.self)) }
      word.removeAll()
    }
    for byte in comment {
      switch byte {
      case UInt8(ascii: "`"):
        endWord()
        if !isCode { word.append(byte) }
        isCode.toggle()
      case _ where isCode: continue
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "'"), 0x80...: word.append(byte)
      case _ where ".;:!?()".utf8.contains(byte):
        endWord()
        sentences.append([])
      default: endWord()
      }
    }
    endWord()
    return sentences
  }

  /// The names that a Swift file declares with a keyword among the first words of a line.
  static func declaredNames(in source: [UInt8]) -> [String] {
    let keywords: Set = ["func", "var", "let", "case", "struct", "class", "enum", "protocol", "typealias", "actor"]
    return source.split(separator: 10).compactMap { line in
      let code = line.drop { $0 == 32 }
      guard !code.starts(with: "//".utf8) else { return nil }
      let words = code.prefix(120).split { !isPartOfName($0) }.prefix(5).map { String(decoding: $0, as: UTF8.self) }
      guard let at = words.firstIndex(where: keywords.contains), at < 4, at + 1 < words.count else { return nil }
      return words[at + 1]
    }
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
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
