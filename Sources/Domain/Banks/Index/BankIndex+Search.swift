import Columns
import Text

/// The words of a keyword search.
package struct KeywordQuery: Sendable {
  /// Different words at most: more would only make a question expensive.
  package static let maximumWords = 64

  /// The words in base letters, each once.
  let words: [[UInt8]]

  /// Divides a text at white space.
  ///
  /// - Throws: ``KeywordProblem`` if there are more than ``maximumWords`` different words.
  /// - Complexity: O(n) in the bytes of `text`.
  package init(_ text: String) throws(KeywordProblem) {
    let folder = Folder()
    let words = Set(text.split(whereSeparator: \.isWhitespace).map { folder.folded($0, .baseLetters) })
      .filter { !$0.isEmpty }
    guard words.count <= Self.maximumWords else { throw KeywordProblem(words: words.count) }
    // The longest is the rarest, so most locations are done with after one word.
    self.words = words.sorted { $0.count > $1.count }
  }
}

/// More words than a keyword search takes.
package struct KeywordProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The different words that were given.
  package let words: Int
  /// What was expected and found.
  package var description: String { "\(words) different words, a search takes at most \(KeywordQuery.maximumWords)" }
}

extension BankIndex {
  /// The ranks of the locations of `filter` in whose "name address" every word occurs, in alphabetical order of titles.
  ///
  /// Case and accents do not matter, and a word may stand anywhere, within another too. No words find all.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(n · w) in the bytes of all texts and the words.
  package func search(_ query: KeywordQuery, _ filter: BankFilter = BankFilter()) throws(BankFilterProblem) -> [Int] {
    let selection = try selection(filter)
    let isInRegion = membership(selection)
    return (0..<count).map { titleOrder[$0] }.filter { rank in
      rank < count && isInRegion(rank) && query.words.allSatisfy { contains(texts[rank], $0) }
        && isSelected(rank, selection)
    }
  }

  /// Whether a rank stands in one of the selected regions.
  func membership(_ selection: Selection) -> (Int) -> Bool {
    if selection.hasAllRegions { return { _ in true } }
    var isMember = [Bool](repeating: false, count: count)
    for region in selection.regions {
      for rank in region.ranks { isMember[rank] = true }
    }
    return { isMember.indices.contains($0) && isMember[$0] }
  }
}

/// Whether `word`, which is not empty, occurs in `text`.
private func contains(_ text: UnsafeRawBufferPointer, _ word: [UInt8]) -> Bool {
  guard text.count >= word.count else { return false }
  return (0...(text.count - word.count)).contains { start in
    text[start] == word[0] && word.indices.allSatisfy { text[start + $0] == word[$0] }
  }
}
