import Base
package import Coroutines
import Text

/// The words of a keyword search.
package struct KeywordQuery: Sendable {
  /// Different words at most: more would only make a question expensive.
  package static let maximumWords = 64
  /// Steps of a budget that a word takes.
  private static let stepsPerWord = 64

  /// The words in base letters, each once, the longest first: it is the rarest, so that most locations are done with
  /// after one word.
  let words: [Keyword]
  /// Whether a word is longer than any text, so that nothing holds it.
  let isHopeless: Bool

  /// Divides a text at white space; words whose base letters have more than `longest` bytes occur nowhere.
  ///
  /// Thousands of spellings of one word are still one word, but take their time.
  ///
  /// - Throws: ``KeywordProblem`` at the 65th different word; ``Stopped``.
  /// - Complexity: O(n) in the bytes of `text`.
  package init(_ text: String, longest: Int, _ budget: Budget) async throws {
    let folder = CaseFolder()
    var (found, isHopeless) = (Set<[UInt8]>(), false)
    var words = WordReader(text: Array(text.utf8))
    while let word = words.next() {
      try await budget.check(Self.stepsPerWord)
      let folded = word.withUnsafeBytes { folder.fold($0, .baseLetters, atMost: longest).map { [UInt8]($0) } }
      guard let folded else {
        isHopeless = true
        continue
      }
      if !folded.isEmpty { found.insert(folded) }
      if found.count > Self.maximumWords { throw KeywordProblem() }
    }
    (self.words, self.isHopeless) = (found.sorted { $0.count > $1.count }.map { Keyword($0) }, isHopeless)
  }
}

/// More words than a keyword search takes.
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

/// A word that is looked for, prepared once: all texts are searched in linear time.
///
/// (D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast pattern matching in strings", SIAM J. Comput. 6(2), 1977.)
struct Keyword: Sendable {
  private let bytes: [UInt8]
  /// For each beginning of the word, how long a shorter beginning it ends with.
  private let borders: [Int32]

  /// Prepares a word, which is not empty.
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
  /// Bytes of a text that one step of a budget compares.
  private static let bytesPerStep = 64

  /// Hands out the locations of a selection in whose "name address" every word occurs, in the order of titles.
  ///
  /// Case and accents do not matter, and a word may be anywhere, within another too. No words find all.
  ///
  /// - Returns: how many locations a selection by hours leaves out because their hours are not known; `nil` for others.
  /// - Throws: ``Stopped``.
  /// - Complexity: O(n · w) in the bytes of all texts and the number of words.
  package func forEachByTitle(
    _ query: KeywordQuery, _ selection: Selection, _ budget: Budget, _ found: (_ rank: Int) -> Void
  ) async throws(Stopped) -> Int? {
    var unknownHours = 0
    for position in 0..<(query.isHopeless ? 0 : count) {
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
