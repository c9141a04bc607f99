/// One word of a closed set, such as an order of rows.
///
/// The standard library refuses other words with the name of a Swift type; this protocol lists the valid words. A
/// conforming type calls it:
///
///     init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
package protocol ClosedWord: RawRepresentable, CaseIterable where RawValue == String {}

extension ClosedWord {
  /// Reads a word.
  ///
  /// - Throws: for any other text, with the valid words.
  package static func read(from decoder: any Decoder) throws -> Self {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    if let word = Self(word: text) { return word }
    let words = allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    // A single character may have thousands of code points.
    let found = String(String.UnicodeScalarView(text.unicodeScalars.prefix(shownScalars)))
    throw DecodingError.dataCorruptedError(
      in: container, debugDescription: "expected \(words), found \"\(found)\"")
  }

  /// Most code points of an unknown word in an error message.
  private static var shownScalars: Int { 32 }
}
