/// Reads the tags of XML text one by one, as far as lists of rates have them: elements and attributes, no entities.
///
/// Text between tags, comments and declarations are skipped. The end of the text must close all elements: a list that
/// was cut off would be a shorter one.
struct XMLTags {
  /// The start of an element.
  struct Tag {
    let name: String
    fileprivate var attributes: [(name: String, value: String)] = []

    /// The value of an attribute; `nil` if there is none.
    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
  }

  private var rest: ArraySlice<UInt8>
  private var open: [String] = []
  private var hasRoot = false

  init(_ text: [UInt8]) { rest = text[...] }

  /// The next start of an element; `nil` at the end.
  ///
  /// - Throws: ``FeedError`` if the text ends too early, or is not XML.
  /// - Complexity: O(bytes up to there).
  mutating func next() throws(FeedError) -> Tag? {
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(start + 1)...]
      if rest.starts(with: "!--".utf8) {
        _ = try skip(through: "-->")
      } else if let first = rest.first, "!?".utf8.contains(first) {
        _ = try skip(through: ">")
      } else if rest.first == UInt8(ascii: "/") {
        let name = String(try skip(through: ">").dropFirst()).trimmingSpace
        guard open.popLast().is(name) else { throw broken("</\(name.excerpt(20))> closes another element") }
      } else {
        return try readTag()
      }
    }
    guard hasRoot, open.isEmpty else { throw broken("it ends within an element") }
    return nil
  }

  private mutating func readTag() throws(FeedError) -> Tag {
    guard let name = word() else { throw broken("an element has no name") }
    hasRoot = true
    var tag = Tag(name: name)
    while true {
      if takes("/>") { return tag }
      if takes(">") {
        open.append(name)
        return tag
      }
      guard let attribute = word(), takes("="), let quote = rest.popFirst(), "\"'".utf8.contains(quote) else {
        throw broken("an attribute of <\(name.excerpt(20))> has no value in quotes")
      }
      tag.attributes.append((attribute, try skip(through: String(UnicodeScalar(quote)))))
    }
  }

  private mutating func skipSpace() { rest = rest.drop { $0 <= UInt8(ascii: " ") } }

  /// Takes a mark with blanks around it.
  private mutating func takes(_ mark: String) -> Bool {
    skipSpace()
    defer { skipSpace() }
    guard rest.starts(with: mark.utf8) else { return false }
    rest = rest.dropFirst(mark.utf8.count)
    return true
  }

  private mutating func word() -> String? {
    let word = rest.prefix { $0 > UInt8(ascii: " ") && !"=/><\"'".utf8.contains($0) }
    rest = rest[word.endIndex...]
    return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
  }

  /// Skips a mark, and returns what is before it.
  private mutating func skip(through mark: String) throws(FeedError) -> String {
    guard let found = rest.firstRange(of: mark.utf8) else { throw broken("it ends before a \(mark)") }
    defer { rest = rest[found.upperBound...] }
    return String(decoding: rest[..<found.lowerBound], as: UTF8.self)
  }

  private func broken(_ problem: String) -> FeedError { FeedError(.badData, "the XML is broken: \(problem)") }
}
