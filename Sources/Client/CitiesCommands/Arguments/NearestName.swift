import Base

/// The name that a mistyped word probably stands for.
enum NearestName {
  /// The name of `names` that is most like `word`, ignoring case; `nil` if none is.
  ///
  /// A name is like the word if it starts with it, or differs by at most one mistake for every three letters, rounded.
  ///
  /// - Complexity: O(names × letters²).
  static func of(_ word: String, among names: [String]) -> String? {
    if let best = names.nearest(to: word) { return best }
    let started = names.filter { $0.lowercased().hasPrefix(word.lowercased()) }
    return started.count == 1 && !word.isEmpty ? started[0] : nil
  }

  /// `"; did you mean 'search'?"`, or nothing.
  static func hint(_ word: String, among names: [String]) -> String {
    of(word, among: names).map { "; did you mean '\($0)'?" } ?? ""
  }
}
