/// The simplified and the traditional form of a Chinese name: many sources have only one of them.
///
/// contrib/data/chinese.tsv contains the characters; contrib/data/make-chinese documents their source.
enum ChineseCharacters {
  /// The maximum number of letters of a key to convert: longer ones would exceed the time of a step.
  private static let maximumLetters = 64

  /// The key in simplified and in traditional characters; forms equal to `key` are left out.
  ///
  /// - Complexity: O(letters · log entries).
  static func forms(of key: [UInt8]) -> [[UInt8]] {
    let letters = Array(String(decoding: key, as: UTF8.self).unicodeScalars)
    guard letters.count <= maximumLetters, letters.contains(where: \.properties.isUnifiedIdeograph) else { return [] }
    let forms = letters.indices.map { place in
      let entry = letters[place].isASCII ? nil : LetterTable.chinese.longestEntry(of: letters[place...])
      return entry?.text.split(separator: UInt8(ascii: "\t")).map(Array.init)
        ?? Array(repeating: Array(String(letters[place]).utf8), count: 2)
    }
    let (simplified, traditional) = (forms.flatMap(\.[0]), forms.flatMap(\.[1]))
    return (simplified == traditional ? [simplified] : [simplified, traditional]).filter { $0 != key }
  }
}
