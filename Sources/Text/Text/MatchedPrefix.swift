extension Folder {
  /// How many characters of `title` a folded query covers, for highlighting; `nil` if the title does not begin with it.
  ///
  /// A query that ends inside the folding of a character covers it whole: of `Straße`, the query `stras` covers
  /// `Straß`. Marks that belong to a character are part of it.
  ///
  ///     folder.matchedPrefix(of: "São Paulo", query: Array("sao p".utf8), .baseLetters)   // 5
  ///
  /// - Complexity: O(n) in the length of `query`.
  public func matchedPrefix(of title: String, query: some Sequence<UInt8>, _ mode: FoldMode) -> Int? {
    var rest = query.makeIterator()
    var next = rest.next()
    var characters = 0
    for character in title {
      if next == nil { break }
      // Folding a text is folding its characters: composition never reaches across a grapheme boundary.
      let matches = withFolded(String(character), mode) { folded in
        for byte in folded {
          guard let expected = next else { return true }
          guard byte == expected else { return false }
          next = rest.next()
        }
        return true
      }
      guard matches else { return nil }
      characters += 1
    }
    return next == nil ? characters : nil
  }
}
