/// The name that a mistyped word probably stands for.
enum NearestName {
  /// The name of `names` that is most like `word`, ignoring case; `nil` if none is.
  ///
  /// A name is like the word if it starts with it, or differs by at most one mistake for every three letters.
  ///
  /// - Complexity: O(names × letters²).
  static func of(_ word: String, among names: [String]) -> String? {
    let letters = Array(word.lowercased().unicodeScalars)
    guard !letters.isEmpty, letters.count <= longest else { return nil }
    let ranked = names.map { name in (name: name, mistakes: mistakes(letters, Array(name.lowercased().unicodeScalars)))
    }
    if let best = ranked.min(by: { $0.mistakes < $1.mistakes }), best.mistakes <= max(1, letters.count / 3),
      best.mistakes < letters.count
    {
      return best.name
    }
    let started = names.filter { $0.lowercased().hasPrefix(word.lowercased()) }
    return started.count == 1 ? started[0] : nil
  }

  /// `"; did you mean 'search'?"`, or nothing.
  static func hint(_ word: String, among names: [String]) -> String {
    of(word, among: names).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// A longer word is not a mistyped name.
  private static let longest = 64

  /// Letters to insert, remove, replace or exchange with their neighbour (optimal string alignment).
  private static func mistakes(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var (before, last): ([Int], [Int]) = ([], Array(0...right.count))
    for (row, letter) in left.enumerated() {
      var next = [row + 1]
      for (column, other) in right.enumerated() {
        var least = min(last[column + 1] + 1, next[column] + 1, last[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, last) = (last, next)
    }
    return last[right.count]
  }
}
