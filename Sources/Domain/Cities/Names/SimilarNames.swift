/// Cities to suggest after a search without hits: those with that name outside of the wanted area, or those whose names
/// start like it.
public struct SimilarNames {
  /// The number of cities in a suggestion.
  private static let shown = 3
  /// The length in bytes of the shortest start of a name.
  private static let shortestStart = 3

  /// The search that finds them, which has begun.
  public var search = NameSearch()
  /// The start of their names, a folded key; `nil` for cities elsewhere.
  public let start: [UInt8]?

  /// Begins a search for suggestions after `finished`; `nil` if that has hits or there is nothing to suggest.
  ///
  /// - Complexity: O(m²) in the at most 64 bytes of the key's first word.
  public init?(after finished: NameSearch, _ index: CityIndex) {
    guard finished.hits.count == 0, let names = index.names else { return nil }
    let (key, previous) = finished.question
    var conditions = PlaceConditions(limit: Self.shown, allowsTypos: false)
    conditions.codes = previous.codes
    if previous.haveAreas {
      start = nil
      key.withUnsafeBytes { search.begin($0, conditions, index) }
      return
    }
    var word = key.prefix { $0 != UInt8(ascii: " ") }.prefix(64)
    while word.count >= Self.shortestStart {
      let found = word.withUnsafeBytes { names.trie.locate($0, in: names.keys).texts }
      // Not within a character.
      if !found.isEmpty, String(validating: word, as: UTF8.self) != nil {
        start = Array(word)
        word.withUnsafeBytes { search.begin($0, conditions, index) }
        return
      }
      word.removeLast()
    }
    return nil
  }
}
