/// Ranks names by their similarity to a word that may be mistyped.
package struct NameRanking {
  /// Longer words are not treated as mistyped names.
  package static let longestWord = 64
  /// Most pairs of letters compared in one ranking, less than 0.1 ms of work; later names count as unlike.
  private static let maximumWork = 8_000
  /// The work for a name without comparing its letters.
  private static let leastWork = 32

  private let letters: [Unicode.Scalar]
  private var work = 0

  /// Ranks names by `word`; `nil` for one that is empty or too long.
  package init?(_ word: String) {
    let letters = word.unicodeScalars.prefix(Self.longestWord + 1)
    guard !letters.isEmpty, letters.count <= Self.longestWord else { return nil }
    self.letters = Array(String(String.UnicodeScalarView(letters)).lowercased().unicodeScalars)
  }

  /// The most mistakes in a similar name: one per three letters, rounded to the nearest.
  package var tolerance: Int { max(1, (letters.count + 1) / 3) }

  /// Letters to insert, remove, replace or exchange with their neighbour, ignoring case (optimal string alignment), to
  /// get `name`; `nil` if there are more than the ``tolerance``, or as many as letters in the word.
  package mutating func mistakes(in name: String) -> Int? {
    work += Self.leastWork
    let length = name.unicodeScalars.count
    let cost = length * letters.count
    guard abs(length - letters.count) <= tolerance, work + cost <= Self.maximumWork else { return nil }
    work += cost
    let mistakes = distance(to: Array(name.lowercased().unicodeScalars))
    return mistakes <= tolerance && mistakes < letters.count ? mistakes : nil
  }

  /// Whether a name starts with the word, ignoring case.
  package func isStart(of name: String) -> Bool {
    name.unicodeScalars.first?.properties.lowercaseMapping.unicodeScalars.first == letters[0]
      && name.lowercased().unicodeScalars.starts(with: letters)
  }

  private func distance(to name: [Unicode.Scalar]) -> Int {
    var last = Array(0...name.count)
    var (before, next) = (last, last)
    for (row, letter) in letters.enumerated() {
      next[0] = row + 1
      for (column, other) in name.enumerated() {
        var least = min(last[column + 1] + 1, next[column] + 1, last[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == name[column - 1], letters[row - 1] == other {
          least = min(least, before[column - 1] + 1)
        }
        next[column + 1] = least
      }
      (before, last, next) = (last, next, before)
    }
    return last[name.count]
  }
}

extension Collection<String> {
  /// The name most similar to `word`; `nil` if none is similar.
  ///
  /// - Complexity: O(n) in the names; the letters of a bounded number of them are compared.
  package func nearest(to word: String) -> String? {
    guard var ranking = NameRanking(word) else { return nil }
    let ranked = compactMap { name in ranking.mistakes(in: name).map { (name: name, mistakes: $0) } }
    return ranked.min { $0.mistakes < $1.mistakes }?.name
  }

  /// At most `count` names: first those similar to `word`, by their mistakes, then those that start with it, then
  /// others in their order.
  ///
  /// - Complexity: O(n) in the names; the letters of a bounded number of them are compared.
  package func nearest(to word: String, atMost count: Int) -> [String] {
    guard var ranking = NameRanking(word) else { return Array(prefix(count)) }
    var ranked: [[String]] = Array(repeating: [], count: ranking.tolerance + 3)
    for name in self {
      let rank = ranking.mistakes(in: name) ?? ranking.tolerance + (ranking.isStart(of: name) ? 1 : 2)
      if ranked[rank].count < count { ranked[rank].append(name) }
    }
    return Array(ranked.joined().prefix(count))
  }
}
