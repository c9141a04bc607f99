import Base
import Text

/// The words of a keyword search.
package struct KeywordQuery: Sendable {
  /// Different words at most: more would only make a question expensive.
  package static let maximumWords = 64

  /// The words in base letters, each once, the longest first: it is the rarest, so that most locations are done with
  /// after one word.
  let words: [Keyword]
  /// Whether a word is longer than any text, so that nothing holds it.
  let isHopeless: Bool

  fileprivate init(_ words: some Collection<[UInt8]>, isHopeless: Bool) {
    self.words = words.sorted { $0.count > $1.count }.map { Keyword($0) }
    self.isHopeless = isHopeless
  }

  /// Divides a text at white space.
  ///
  /// - Throws: ``KeywordProblem`` if there are more than ``maximumWords`` different words.
  /// - Complexity: O(n) in the bytes of `text`.
  package init(_ text: String) throws(KeywordProblem) {
    var reader = KeywordReader(text, longest: .max)
    while try reader.step() {}
    self = reader.query
  }
}

/// More words than a keyword search takes.
package struct KeywordProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The expected and the found value.
  package var description: String {
    "more than \(KeywordQuery.maximumWords) different words; a search takes at most \(KeywordQuery.maximumWords)"
  }
}

/// Reads the words of a query one at a time: thousands of spellings of one word are still one word, but take their
/// time.
///
///     var reader = KeywordReader(text, longest: index.longestText)
///     while try reader.step() { pause() }
///     let query = reader.query
package struct KeywordReader {
  private let text: [UInt8]
  private let longest: Int
  private let folder = CaseFolder()
  private var position = 0
  private var words: Set<[UInt8]> = []
  private var isHopeless = false

  /// Starts with `text`; words whose base letters have more than `longest` bytes occur nowhere.
  package init(_ text: String, longest: Int) { (self.text, self.longest) = (Array(text.utf8), longest) }

  /// Reads the next word.
  ///
  /// - Returns: whether there may be more.
  /// - Throws: ``KeywordProblem`` at the 65th different word.
  /// - Complexity: O(m) in the bytes of the word and the white space before it.
  package mutating func step() throws(KeywordProblem) -> Bool {
    while let space = spaceLength(at: position) { position += space }
    let start = position
    while position < text.count, spaceLength(at: position) == nil { position += 1 }
    guard start < position else { return false }
    let folded = text[start..<position].withUnsafeBytes {
      folder.fold($0, .baseLetters, atMost: longest).map { [UInt8]($0) }
    }
    guard let folded else {
      isHopeless = true
      return true
    }
    if !folded.isEmpty { words.insert(folded) }
    if words.count > KeywordQuery.maximumWords { throw KeywordProblem() }
    return true
  }

  /// The words that were read.
  package var query: KeywordQuery { KeywordQuery(words, isHopeless: isHopeless) }

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

/// The locations that a filter selects and in whose "name address" every word occurs, found a few at a time in the
/// order of titles.
///
/// Case and accents do not matter, and a word may be anywhere, within another too. No words find all.
package struct KeywordScan {
  /// Bytes of texts that one step compares, or locations that it looks at in units of ``bytesPerLocation``.
  private static let bytesPerStep = 4_096
  private static let bytesPerLocation = 64

  private let index: BankIndex
  private let query: KeywordQuery
  private let selection: BankIndex.Selection
  private var position = 0
  private var passed = 0

  fileprivate init(_ index: BankIndex, _ query: KeywordQuery, _ selection: BankIndex.Selection) {
    (self.index, self.query, self.selection) = (index, query, selection)
  }

  /// How many locations a filter by hours has left out so far because their hours are not known; `nil` without one.
  package var unknownHours: Int? { selection.moment == nil ? nil : passed }

  /// Looks at the next few locations, and hands out the ranks of those that are found.
  ///
  /// - Returns: whether there are more to look at.
  /// - Complexity: O(w) for w words and texts of common length.
  package mutating func step(_ found: (_ rank: Int) -> Void) -> Bool {
    if query.isHopeless { return false }
    var left = Self.bytesPerStep
    while left > 0, position < index.count {
      let rank = index.titleOrder[position]
      position += 1
      left -= Self.bytesPerLocation
      guard rank < index.count, selection.hasRegion(of: rank) else { continue }
      let text = index.texts[rank]
      let isFound = query.words.allSatisfy { word in
        left -= text.count
        return word.occurs(in: text)
      }
      if isFound, index.isSelected(rank, selection, unknownHours: &passed) { found(rank) }
    }
    return position < index.count
  }
}

extension BankIndex {
  /// Starts a keyword search.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(r) in the regions.
  package func keywordScan(
    _ query: KeywordQuery, _ filter: BankFilter = BankFilter()
  ) throws(BankFilterProblem) -> KeywordScan {
    KeywordScan(self, query, try selection(filter))
  }
}
