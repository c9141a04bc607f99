/// Finds the name most similar to a mistyped word.
enum NearestName {
  /// The name in `names` most similar to `word`, ignoring case; `nil` if none is similar.
  ///
  /// A name is similar if it is the only one that starts with the word, or differs by at most one typo per three
  /// letters, rounded.
  ///
  /// - Complexity: O(names × letters²).
  static func of(_ word: String, among names: [String]) -> String? {
    if let best = names.nearest(to: word) { return best }
    let start = word.lowercased()
    let started = names.filter { $0.lowercased().hasPrefix(start) }
    return started.count == 1 && !word.isEmpty ? started[0] : nil
  }

  /// `"; did you mean 'search'?"`, or an empty text.
  static func hint(_ word: String, among names: [String]) -> String {
    of(word, among: names).map { "; did you mean '\($0)'?" } ?? ""
  }
}
