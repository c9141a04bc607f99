package import Coroutines
import Text

/// The words of a keyword search.
package struct KeywordQuery: Sendable {
  /// The most distinct words: more would only make a query expensive.
  package static let maximumWords = 64
  /// Steps of a budget per word.
  private static let stepsPerWord = 64

  /// The distinct words in base letters, longest first: it is the rarest, so most locations fail at the first word.
  let words: [Keyword]
  /// Whether a word is longer than any text, so that nothing matches.
  let cannotMatch: Bool

  /// Splits a text at white space; words with more than `longest` bytes in base letters never occur.
  ///
  /// A text may have thousands of spellings of one word, which takes time.
  ///
  /// - Throws: ``KeywordProblem`` at the 65th distinct word; ``Stopped``.
  /// - Complexity: O(n) in the bytes of `text`.
  package init(_ text: String, longest: Int, _ budget: Budget) async throws {
    let (folder, scalars) = (CaseFolder(), text.unicodeScalars)
    var (found, cannotMatch) = (Set<[UInt8]>(), false)
    var start = scalars.startIndex
    while start < scalars.endIndex {
      var end = start
      while end < scalars.endIndex, !Self.isSpace(scalars[end]) {
        scalars.formIndex(after: &end)
        try await budget.check()
      }
      try await budget.check(Self.stepsPerWord)
      if let folded = folder.folded(String(scalars[start..<end]), .baseLetters, atMost: longest) {
        if !folded.isEmpty { found.insert(folded) }
      } else {
        cannotMatch = true
      }
      if found.count > Self.maximumWords { throw KeywordProblem() }
      start = end < scalars.endIndex ? scalars.index(after: end) : end
    }
    (self.words, self.cannotMatch) = (found.sorted { $0.count > $1.count }.map { Keyword($0) }, cannotMatch)
  }

  /// Unicode's property White_Space.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\t"..."\r", " ", "\u{85}", "\u{A0}", "\u{1680}", "\u{2000}"..."\u{200A}", "\u{2028}"..."\u{2029}", "\u{202F}",
      "\u{205F}", "\u{3000}":
      true
    default: false
    }
  }
}

/// A keyword search with too many words.
package struct KeywordProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The expected and the found value.
  package var description: String {
    "more than \(KeywordQuery.maximumWords) different words; a search takes at most \(KeywordQuery.maximumWords)"
  }
}

/// A word prepared for searching texts in linear time.
///
/// (D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast pattern matching in strings", SIAM J. Comput. 6(2), 1977.)
struct Keyword: Sendable {
  private let bytes: [UInt8]
  /// For each prefix of the word, the length of its longest border.
  private let borders: [Int32]

  /// Prepares a non-empty word.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var borders: [Int32] = [0]
    for index in bytes.indices.dropFirst() {
      var border = Int(borders[index - 1])
      while border > 0, bytes[index] != bytes[border] { border = Int(borders[border - 1]) }
      borders.append(Int32(bytes[index] == bytes[border] ? border + 1 : border))
    }
    self.borders = borders
  }

  /// Whether the word occurs in `text`.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  func occurs(in text: UnsafeRawBufferPointer) -> Bool {
    guard text.count >= bytes.count else { return false }
    var matched = 0
    for byte in text {
      while matched > 0, byte != bytes[matched] { matched = Int(borders[matched - 1]) }
      if byte == bytes[matched] { matched += 1 }
      if matched == bytes.count { return true }
    }
    return false
  }
}

extension BankIndex {
  /// Bytes of text compared per step of a budget.
  private static let bytesPerStep = 64

  /// Calls `found` for the locations of a selection with every word in their "name address", in the order of titles.
  ///
  /// Ignores case and accents; a word may occur anywhere, even within another. Without words, all locations match.
  ///
  /// - Returns: how many locations a selection by hours excludes because their hours are unknown; `nil` without one.
  /// - Throws: ``Stopped``.
  /// - Complexity: O(n · w) in the bytes of all texts and the number of words.
  package func forEachByTitle(
    _ query: KeywordQuery, _ selection: Selection, _ budget: Budget, _ found: (_ rank: Int) -> Void
  ) async throws(Stopped) -> Int? {
    var unknownHours = 0
    for position in 0..<(query.cannotMatch ? 0 : count) {
      try await budget.check()
      let rank = titleOrder[position]
      guard rank < count, selection.hasRegion(of: rank) else { continue }
      let text = texts[rank]
      var bytes = 0
      let isFound = query.words.allSatisfy { word in
        bytes += text.count
        return word.occurs(in: text)
      }
      try await budget.check(bytes / Self.bytesPerStep)
      if isFound, isSelected(rank, selection, unknownHours: &unknownHours) { found(rank) }
    }
    return selection.moment == nil ? nil : unknownHours
  }
}
