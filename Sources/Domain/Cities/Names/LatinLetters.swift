/// Transliterates keys of other scripts into Latin letters, for names that no source has in that script.
///
/// `Protocol/README.md` states the rule; contrib/data/latin.tsv contains the letters, and contrib/data/make-latin
/// documents their source.
enum LatinLetters {
  /// The maximum number of letters of a key to transliterate: longer ones would exceed the time of a step.
  private static let maximumLetters = 64
  /// The minimum number of letters of a result: with fewer, any syllable would start the name of a large city.
  private static let leastLetters = 5
  /// The scripts of India, whose consonants have an inherent a if no sign follows, and those of the north, where it is
  /// often silent.
  private static let (indic, northern) = (0x900..<0xE00 as Range<UInt32>, 0x900..<0xB80 as Range<UInt32>)

  /// The transliteration of one entry.
  private struct Piece {
    var letters: [UInt8]
    /// Whether the last letter is the inherent a of a consonant.
    var hasInherentVowel: Bool

    var endsWithVowel: Bool { letters.last.map("aeiou".utf8.contains) ?? false }
    var startsWithConsonant: Bool { letters.first.map { !"aeiou".utf8.contains($0) } ?? false }
  }

  /// The key in Latin letters, first without silent vowels; empty if it has only Latin letters or the result is too
  /// short.
  ///
  /// - Complexity: O(letters · log entries).
  static func forms(of key: [UInt8]) -> [[UInt8]] {
    let letters = Array(String(decoding: key, as: UTF8.self).unicodeScalars)
    guard letters.count <= maximumLetters, letters.contains(where: { !$0.isASCII }) else { return [] }
    let words = letters.split(separator: " ").map { (word: $0, pieces: pieces(of: $0)) }
    let forms = [true, false].map { isShortened in
      Array(words.map { text(of: $0.word, $0.pieces, isShortened: isShortened) }.joined(separator: " ".utf8))
    }
    let isLong = forms[0].count { $0 & 0xC0 != 0x80 && $0 != UInt8(ascii: " ") } >= leastLetters
    return !isLong || forms[0] == key ? [] : forms[0] == forms[1] ? [forms[0]] : forms
  }

  private static func text(
    of word: ArraySlice<Unicode.Scalar>, _ pieces: [Piece], isShortened: Bool
  ) -> [UInt8] {
    var pieces = pieces
    if isShortened, word.contains(where: { northern.contains($0.value) }) { dropSilentVowels(&pieces) }
    return pieces.flatMap(\.letters)
  }

  private static func pieces(of word: ArraySlice<Unicode.Scalar>) -> [Piece] {
    var (rest, pieces) = (word, [Piece]())
    while let first = rest.first {
      let entry = first.isASCII ? nil : LetterTable.latin.longestEntry(of: rest)
      rest = rest.dropFirst(entry?.count ?? 1)
      guard let (length, letters) = entry else {
        pieces.append(Piece(letters: Array(String(first).utf8), hasInherentVowel: false))
        continue
      }
      if letters.first == UInt8(ascii: "-") {
        let before = pieces.last?.hasInherentVowel == true ? pieces.removeLast().letters.dropLast() : []
        pieces.append(Piece(letters: before + letters.dropFirst(), hasInherentVowel: false))
      } else {
        let isConsonant = length == 1 && letters.count > 1 && indic.contains(first.value)
        pieces.append(Piece(letters: letters, hasInherentVowel: isConsonant && letters.last == UInt8(ascii: "a")))
      }
    }
    return pieces
  }

  /// Drops the inherent vowel at the end of a word, and, from the right, those between a syllable with a vowel and a
  /// consonant with one.
  private static func dropSilentVowels(_ pieces: inout [Piece]) {
    guard let last = pieces.indices.last else { return }
    if pieces[last].hasInherentVowel, pieces[..<last].contains(where: \.endsWithVowel) { dropVowel(of: &pieces[last]) }
    for place in pieces.indices.dropFirst().dropLast().reversed() {
      let (before, after) = (pieces[place - 1], pieces[place + 1])
      guard pieces[place].hasInherentVowel, before.endsWithVowel, after.startsWithConsonant, after.endsWithVowel
      else { continue }
      dropVowel(of: &pieces[place])
    }
  }

  private static func dropVowel(of piece: inout Piece) {
    piece.letters.removeLast()
    piece.hasInherentVowel = false
  }
}
