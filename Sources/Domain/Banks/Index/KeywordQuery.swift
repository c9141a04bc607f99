import Base
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
    let folder = CaseFolder()
    var (found, cannotMatch) = (Set<[UInt8]>(), false)
    var words = WordReader(text: Array(text.utf8))
    while let word = words.next() {
      try await budget.check(Self.stepsPerWord)
      let folded = word.withUnsafeBytes { folder.fold($0, .baseLetters, atMost: longest).map { [UInt8]($0) } }
      guard let folded else {
        cannotMatch = true
        continue
      }
      if !folded.isEmpty { found.insert(folded) }
      if found.count > Self.maximumWords { throw KeywordProblem() }
    }
    (self.words, self.cannotMatch) = (found.sorted { $0.count > $1.count }.map { Keyword($0) }, cannotMatch)
  }
}

/// A keyword search with too many words.
package struct KeywordProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The expected and the found value.
  package var description: String {
    "more than \(KeywordQuery.maximumWords) different words; a search takes at most \(KeywordQuery.maximumWords)"
  }
}

/// Reads the words of a text one at a time.
private struct WordReader {
  let text: [UInt8]
  private var position = 0

  init(text: [UInt8]) { self.text = text }

  /// The next word; `nil` at the end.
  ///
  /// - Complexity: O(m) in the bytes of the word and the white space before it.
  mutating func next() -> ArraySlice<UInt8>? {
    while let space = spaceLength(at: position) { position += space }
    let start = position
    while position < text.count, spaceLength(at: position) == nil { position += 1 }
    return start < position ? text[start..<position] : nil
  }

  /// The bytes of the white space at `index`, if there is any (Unicode's property White_Space).
  private func spaceLength(at index: Int) -> Int? {
    guard index < text.count else { return nil }
    switch text[index] {
    case 0x09...0x0D, 0x20: return 1
    case 0xC2: return index + 1 < text.count && (text[index + 1] == 0x85 || text[index + 1] == 0xA0) ? 2 : nil
    case 0xE1...0xE3:
      guard index + 2 < text.count else { return nil }
      switch (text[index], text[index + 1], text[index + 2]) {
      case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
        (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80):
        return 3
      default: return nil
      }
    default: return nil
    }
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
