internal import CLetters
import Text

/// Other forms of a query, for the attempts of a search after that of the query as typed.
///
/// `Protocol/README.md` repeats the rules for addresses.
enum QueryForms {
  /// The maximum number of forms of one kind.
  static let maximumCount = 24
  /// The maximum number of words of an address; longer ones would exceed the time of a step.
  private static let addressWords = 12
  /// The maximum number of words of a query whose words are permuted; longer ones are only rotated.
  private static let permutedWords = 4
  /// The minimum number of letters of a text that may have been typed with another keyboard layout.
  private static let keyboardLetters = 4
  /// The maximum number of its bytes: no name in use is longer, and every letter is looked up for every layout.
  private static let keyboardBytes = 256
  /// The minimum number of letters of a name without its last words, unless some are not in ASCII.
  private static let shorterLetters = 4
  /// Words that say what kind of place a name is, in the languages of the world's longest lists of places.
  private static let kinds = Set(
    """
    borough city greater municipality town township village stadt gemeinde commune ville comune citta ciudad \
    municipio pueblo cidade gmina miasto mesto obec linn vald pilseta rajons miestas kommun stad by город село місто \
    град
    """.split(separator: " ").map { Array($0.utf8) })

  /// The alternative keys that an attempt looks for, best first; none for an attempt that looks for the query itself.
  ///
  /// `typed` is the original text; `areas` are those that the last words name.
  ///
  /// - Complexity: O(n) in the bytes for each word, for at most ``maximumCount`` keys.
  static func keys(
    for attempt: SearchAttempt, of key: [UInt8], typed: [UInt8], areas: PlaceQuery.LastAreas
  ) -> [[UInt8]] {
    switch attempt {
    case .keyboard: return otherKeyboards(typed).map { CaseFolder().folded($0, .words) }
    case .characters:
      guard typed.contains(UInt8(ascii: "&")), let plain = CharacterReferences.decoded(typed) else {
        return ChineseCharacters.forms(of: key)
      }
      return [CaseFolder().folded(plain, .words)]
    case .latin: return LatinLetters.forms(of: key)
    case .postalCode where !hasDigits(key): return []
    case .endOfAddress: return (Divisions.forms(of: key) + afterCommas(typed)).prefix(maximumCount).map(\.self)
    default: break
    }
    let words = String(decoding: key, as: UTF8.self).split(separator: " ")
    guard words.count > 1 else { return [] }
    let forms: [[Substring]] =
      switch attempt {
      case .postalCode: postalPatterns.compactMap { meaning(of: words, by: $0) }
      case .address: addresses(words)
      case .order: orders(words)
      case .unknownCode:
        if areas.countryWords > 0 {
          [words.dropLast(areas.countryWords)]
        } else {
          words.last?.unicodeScalars.count == 2 ? [words.dropLast()] : []
        }
      case .kind, .kindWithErrors: withoutKind(words, areas.words)
      // The list may have the city in another country, and the end of an area that it lacks may be the name of one.
      case .fewerWords: shorter(words, areas.words) + (areas.stay || areas.words == 0 ? [] : shorter(words, 0))
      default: []
      }
    return forms.prefix(maximumCount).map { Array($0.joined(separator: " ").utf8) }
  }

  /// The number of bytes of a name of several words without the last one, if that says what kind of place it is.
  static func bytesWithoutKind(_ name: ArraySlice<UInt8>) -> Int? {
    guard let space = name.lastIndex(of: UInt8(ascii: " ")), kinds.contains(Array(name[(space + 1)...])) else {
      return nil
    }
    return space - name.startIndex
  }

  private static func withoutKind(_ words: [Substring], _ areaWords: Int) -> [[Substring]] {
    let (name, areas) = (words.dropLast(areaWords), words.suffix(areaWords))
    guard name.count > 1 else { return [] }
    var forms: [[Substring]] = []
    if kinds.contains(Array(name[name.count - 1].utf8)) { forms.append(Array(name.dropLast() + areas)) }
    if kinds.contains(Array(name[0].utf8)) { forms.append(Array(name.dropFirst() + areas)) }
    return forms
  }

  private static func shorter(_ words: [Substring], _ areaWords: Int) -> [[Substring]] {
    let name = words.dropLast(areaWords)
    return name.indices.dropFirst().reversed().map { Array(name[..<$0]) }.filter { name in
      // The first words of an address may be numbers, which some cities are called.
      guard name.contains(where: { $0.contains { !$0.isNumber } }) else { return false }
      let letters = name.reduce(0) { $0 + $1.utf8.count }
      return letters >= shorterLetters || name.contains { $0.utf8.contains { $0 >= 0x80 } }
    }.map { $0 + words.suffix(areaWords) }
  }

  private static func orders(_ words: [Substring]) -> [[Substring]] {
    guard words.count > permutedWords else { return Array(permutations(words).dropFirst()) }
    return words.indices.dropFirst().map { Array(words[$0...] + words[..<$0]) }
  }

  private static func permutations(_ words: [Substring]) -> [[Substring]] {
    guard words.count > 1 else { return [words] }
    return words.indices.flatMap { place in
      permutations(Array(words[..<place] + words[(place + 1)...])).map { [words[place]] + $0 }
    }
  }

  // MARK: Addresses

  private typealias Pattern = (words: [[Substring]], meaning: [Substring])

  private static let (otherPatterns, postalPatterns) = (rules(of: .address), rules(of: .postalCode))
  private static let patterns = otherPatterns + postalPatterns

  /// Whether there may be a postal code.
  private static func hasDigits(_ text: some Sequence<UInt8>) -> Bool { text.contains(where: isDigit) }

  /// The rules for addresses of an attempt, by lines of contrib/data/addresses.tsv: the attempt's name, a pattern of
  /// words, its replacements, and the languages that use it.
  ///
  /// `#` stands for a number, `####` for one of four digits, `&&` for two letters, `?` for letters and digits, `@` for
  /// these if a letter is the first, `*` for any words, in the same order on both sides; alternatives are separated by
  /// `|`.
  private static func rules(of attempt: SearchAttempt) -> [Pattern] {
    let table = UnsafeRawBufferPointer(start: cities_addresses_bytes(), count: cities_addresses_count())
    let rows = String(decoding: table, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "\t") }
    return rows.filter { $0[0] == attempt.rawValue }.flatMap { row in
      let words = row[1].split(separator: " ").map { $0.split(separator: "|") }
      return row[2].split(separator: "|").map { (words, meaning: $0.split(separator: " ")) }
    }
  }

  /// The words that a rule makes of an address; `nil` if it does not match, or leaves none.
  private static func meaning(of words: [Substring], by rule: Pattern) -> [Substring]? {
    guard words.count <= addressWords, var found = captures(rule.words[...], words[...]) else { return nil }
    let form = rule.meaning.flatMap { $0 == "*" ? Array(found.removeFirst()) : [$0] }
    return form.isEmpty ? nil : form
  }

  /// The forms of an address after one or more rules, at most `count` with itself.
  private static func addresses(_ words: [Substring], _ count: Int = maximumCount) -> [[Substring]] {
    let rules = words.contains { hasDigits($0.utf8) } ? patterns : otherPatterns
    var forms = [words]
    var next = 0
    while next < forms.count, forms.count < count {
      for rule in rules {
        guard let form = meaning(of: forms[next], by: rule) else { continue }
        if !forms.contains(where: { $0.elementsEqual(form) { $0.utf8.elementsEqual($1.utf8) } }) { forms.append(form) }
      }
      next += 1
    }
    return Array(forms.prefix(count).dropFirst())
  }

  /// The words for each star of a pattern, the first as short as possible; `nil` if the pattern does not match.
  private static func captures(
    _ pattern: ArraySlice<[Substring]>, _ words: ArraySlice<Substring>
  ) -> [ArraySlice<Substring>]? {
    guard let first = pattern.first else { return words.isEmpty ? [] : nil }
    if first[0] == "*" {
      for end in words.startIndex...words.endIndex {
        if let rest = captures(pattern.dropFirst(), words[end...]) { return [words[..<end]] + rest }
      }
      return nil
    }
    guard let word = words.first, matches(word.utf8, first) else { return nil }
    return captures(pattern.dropFirst(), words.dropFirst())
  }

  /// The number of characters of the longest part of a postal code.
  private static let longestCode = 7

  private static func matches(_ word: Substring.UTF8View, _ pattern: [Substring]) -> Bool {
    func isSign(_ sign: String) -> Bool { pattern[0].utf8.elementsEqual(sign.utf8) }
    if isSign("#") { return word.allSatisfy(isDigit) }
    if isSign("####") { return word.count == 4 && word.allSatisfy(isDigit) }
    if isSign("&&") { return word.count == 2 && word.allSatisfy(isLetter) }
    if isSign("?") { return isCode(word) }
    if isSign("@") { return isCode(word) && word.first.map(isLetter) == true }
    return pattern.contains { $0.utf8.elementsEqual(word) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  private static func isLetter(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

  /// Whether a word has letters and digits, like a part of a postal code.
  private static func isCode(_ word: some Collection<UInt8>) -> Bool {
    word.count <= longestCode && word.contains(where: isDigit) && word.contains(where: isLetter)
      && word.allSatisfy { isDigit($0) || isLetter($0) }
  }

  /// The number of digits of the shortest postal code, and of the shortest one that begins an address.
  private static let (postalDigits, firstDigits) = (3, 5)
  /// The number of parts at the end of an address in which its city is looked for, and the number of forms of each.
  private static let (addressParts, partForms) = (5, 4)

  /// The keys of the texts after each comma: without postal codes, then by the rules for addresses.
  ///
  /// An address that begins with a postal code goes on with the larger places first: the keys are those of each part.
  private static func afterCommas(_ typed: [UInt8]) -> [[UInt8]] {
    let comma = UInt8(ascii: ",")
    let parts = typed.split(separator: comma)
    guard parts.count > 1 else { return [] }
    let isReversed =
      parts[0].count(where: isDigit) >= firstDigits && !parts[0].contains { $0 >= 0x80 || isLetter($0 | 0x20) }
    let last = parts.dropFirst().suffix(addressParts)
    let texts = isReversed ? last.map { [$0] } : last.indices.map { Array(last[$0...]) }
    let keys = texts.flatMap { partKeys(String(decoding: Array($0.joined(separator: [comma])), as: UTF8.self)) }
    return keys.reduce(into: []) { unique, key in if !unique.contains(key) { unique.append(key) } }
  }

  private static func partKeys(_ text: String) -> [[UInt8]] {
    let key = CaseFolder().folded(text, .words)
    let words = String(decoding: key, as: UTF8.self).split(separator: " ")
    let bare = words.filter { word in
      !isCode(word.utf8) && (word.utf8.count < postalDigits || !word.utf8.allSatisfy(isDigit))
    }
    let forms = [bare] + (words.count > 1 ? addresses(words, partForms) : [])
    return forms.filter { !$0.isEmpty }.map { Array($0.joined(separator: " ").utf8) }
  }

  // MARK: Keyboards

  /// The keys of the US keyboard layout, and the letters of another layout on them.
  private static let keyboards = [
    ("qwertyuiop[]asdfghjkl;'zxcvbnm,.`", "йцукенгшщзхъфывапролджэячсмитьбюё"),
    // The key for the accent comes before its letter; apostrophes are ignored.
    ("ertyuiopasdfghjklzxcvbnmw;", "ερτυθιοπασδφγηξκλζχψωβνμς'"),
  ].flatMap { keys, letters in
    let (keys, letters) = (keys.unicodeScalars, letters.unicodeScalars)
    return [Dictionary(uniqueKeysWithValues: zip(keys, letters)), Dictionary(uniqueKeysWithValues: zip(letters, keys))]
  }

  private static func otherKeyboards(_ typed: [UInt8]) -> [String] {
    guard typed.count <= keyboardBytes else { return [] }
    let text = CaseFolder().composed(String(decoding: typed, as: UTF8.self).lowercased()).unicodeScalars
    guard text.count >= keyboardLetters else { return [] }
    return keyboards.compactMap { letters in
      let other = text.compactMap { $0 == " " || $0 == "-" ? $0 : letters[$0] }
      return other.count == text.count ? String(String.UnicodeScalarView(other)) : nil
    }
  }
}
