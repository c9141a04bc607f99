internal import Base

/// Many texts in one: a line each, ended by a line feed.
///
/// So thousands of texts are one item, which programs can build by joining and which is copied rather than parsed. A
/// reader also accepts an array of texts, the natural form in JSON.
///
/// ```swift
/// TextLines(["Tallinn", "", "Paris"]).text    // "Tallinn\n\nParis\n"
/// ```
public struct TextLines: Codable, Hashable, Sendable {
  /// The lines; empty, or with a final line feed.
  public let text: String

  /// Joins texts; a line feed in one of them becomes a space.
  public init(_ texts: some Sequence<String>) {
    var lines = ""
    for text in texts {
      let isLine = !text.utf8.contains(UInt8(ascii: "\n"))
      lines += isLine ? text : String(text.unicodeScalars.map { $0 == "\n" ? " " : Character($0) })
      lines += "\n"
    }
    text = lines
  }

  /// Wraps lines; the final line feed is optional.
  public init(lines text: String) {
    let isEnded = text.isEmpty || text.utf8.last == UInt8(ascii: "\n")
    self.text = isEnded ? text : text + "\n"
  }

  /// The number of texts.
  ///
  /// - Complexity: O(*n*) in the bytes of ``text``.
  public var count: Int {
    var text = text
    return text.withUTF8 { unsafe UnsafeRawBufferPointer($0).count(of: UInt8(ascii: "\n")) }
  }

  /// The texts.
  public var texts: [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map(Substring.init)
      .map(String.init)
  }

  /// Reads one text, or an array of texts.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(lines: text)
    } else if let texts = try? container.decode([String].self) {
      self.init(texts)
    } else {
      throw DecodingError.typeMismatch(
        Self.self,
        .init(codingPath: decoder.codingPath, debugDescription: "expected a text of lines or an array of texts"))
    }
  }

  /// Writes one text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
