import Text

/// Other forms of a query, which are tried in turn if the query as typed has no hits.
///
/// `Protocol/README.md` documents their order, and repeats the table of addresses.
enum QueryForms: Int, CaseIterable {
  /// Without the formal parts of an address, and with abbreviations expanded.
  case address
  /// In simplified or traditional Chinese characters: `紐約`.
  case chinese
  /// The words in another order: `york new`, `japan nagoya`.
  case order
  /// Without a last word of two letters, as it may be the code of an unknown area: `Milano XY`.
  case code
  /// Without the last words.
  case shorter
  /// Typed with another keyboard layout.
  case keyboard
  /// In Latin letters: `नागोया`.
  case latin

  /// The maximum number of forms of one kind.
  static let maximumCount = 24
  /// The maximum number of words of an address; longer ones would exceed the time of a step.
  private static let addressWords = 12
  /// The maximum number of words of a query whose words are permuted; longer ones are only rotated.
  private static let permutedWords = 4
  /// The minimum number of letters of a text that may have been typed with another keyboard layout.
  private static let keyboardLetters = 4

  /// Whether it is a guess, which omits a part of the query or replaces its text.
  var isGuess: Bool { rawValue >= Self.code.rawValue }
  /// Whether the start of a name matches, too.
  var allowsStarts: Bool { [.address, .chinese, .keyboard, .latin].contains(self) }

  /// The alternative keys of a query, best first; `typed` is its original text.
  ///
  /// - Complexity: O(n) in the bytes, for at most ``maximumCount`` keys.
  func keys(of key: [UInt8], typed: [UInt8]) -> [[UInt8]] {
    if self == .keyboard { return Self.otherKeyboards(typed).map { CaseFolder().folded($0, .words) } }
    if self == .chinese { return ChineseCharacters.forms(of: key) }
    if self == .latin { return LatinLetters.forms(of: key) }
    let words = String(decoding: key, as: UTF8.self).split(separator: " ")
    guard words.count > 1 else { return [] }
    let forms: [[Substring]] =
      switch self {
      case .address: Self.addresses(words)
      case .order: Self.orders(words)
      case .code: words.last?.unicodeScalars.count == 2 ? [words.dropLast()] : []
      // The first words of an address may be numbers, which some cities are called.
      case .shorter:
        words.indices.dropFirst().reversed().map { Array(words[..<$0]) }
          .filter { $0.contains { $0.contains { !$0.isNumber } } }
      case .chinese, .keyboard, .latin: []
      }
    return forms.prefix(Self.maximumCount).map { Array($0.joined(separator: " ").utf8) }
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

  /// The rules for addresses: a pattern of words, its replacements, and the languages that use it.
  ///
  /// `#` stands for a number, `*` for any words, in the same order on both sides; alternatives are separated by `|`.
  static let addressForms = [
    ("* st|ste *", "* saint *|* sainte *|* sankt *|* sint *", "French, German, Dutch"),
    ("s|sta|sto *", "san *|sao *|santa *|santo *", "Spanish, Portuguese, Italian"),
    ("* mt *", "* mount *", "English"), ("* ft *", "* fort *", "English"),
    ("* pto *", "* puerto *|* porto *", "Spanish, Portuguese"), ("cd *", "ciudad *", "Spanish"),
    ("* a m", "* am main", "German"), ("* a d *", "* an der *", "German"), ("* o d t", "* ob der tauber", "German"),
    ("* i br", "* im breisgau", "German"), ("* b *", "* bei *", "German"),
    ("* i d opf", "* in der oberpfalz", "German"),
    ("* cedex *", "*", "French"), ("* #", "*", "all: a district"), ("# *", "*", "all: a postal code"),
    ("a|b|ch|cz|d|dk|f|i|l|nl|pl|sk # *", "*", "all: a country's sign and a postal code"),
    ("hansestadt|stadt|gemeinde|landeshauptstadt *", "*", "German"), ("freie und hansestadt *", "*", "German"),
    ("city|town|municipality of *", "*", "English"), ("ville|commune de *", "*", "French"),
    ("comune|citta di *", "*", "Italian"), ("ciudad|municipio|ayuntamiento de *", "*", "Spanish, Portuguese"),
    ("gemeente *", "*", "Dutch"), ("gmina|miasto *", "*", "Polish"), ("mesto *", "*", "Czech, Slovak"),
    ("г|город|гор *", "*", "Russian"), ("м|місто *", "*", "Ukrainian"), ("н *", "нижнии *|нижняя *", "Russian"),
    ("с|спб *", "санкт *", "Russian"),
  ]

  private static let patterns = addressForms.flatMap { pattern, meanings, _ in
    let words = pattern.split(separator: " ").map { $0.split(separator: "|") }
    return meanings.split(separator: "|").map { (words, meaning: $0.split(separator: " ")) }
  }

  /// The forms of an address after one or more rules.
  private static func addresses(_ words: [Substring]) -> [[Substring]] {
    guard words.count <= addressWords else { return [] }
    var forms = [words]
    var next = 0
    while next < forms.count, forms.count < maximumCount {
      for (pattern, meaning) in patterns {
        guard var found = captures(pattern[...], forms[next][...]) else { continue }
        let form = meaning.flatMap { $0 == "*" ? Array(found.removeFirst()) : [$0] }
        if !form.isEmpty, !forms.contains(form) { forms.append(form) }
      }
      next += 1
    }
    return Array(forms.prefix(maximumCount).dropFirst())
  }

  /// The words for each star of a pattern, the first as short as possible; `nil` if the pattern does not match.
  private static func captures(
    _ pattern: ArraySlice<[Substring]>, _ words: ArraySlice<Substring>
  ) -> [ArraySlice<Substring>]? {
    guard let first = pattern.first else { return words.isEmpty ? [] : nil }
    if first == ["*"] {
      for end in words.startIndex...words.endIndex {
        if let rest = captures(pattern.dropFirst(), words[end...]) { return [words[..<end]] + rest }
      }
      return nil
    }
    guard let word = words.first,
      first == ["#"] ? word.utf8.allSatisfy({ $0 &- 0x30 < 10 }) : first.contains(word)
    else { return nil }
    return captures(pattern.dropFirst(), words.dropFirst())
  }

  // MARK: Keyboards

  /// The keys of the US keyboard layout, and the letters of another layout on them.
  private static let keyboards = [
    ("qwertyuiop[]asdfghjkl;'zxcvbnm,.`", "йцукенгшщзхъфывапролджэячсмитьбюё"),
    // The key for the accent comes before its letter; apostrophes are ignored.
    ("ertyuiopasdfghjklzxcvbnmw;", "ερτυθιοπασδφγηξκλζχψωβνμς'"),
  ].flatMap { [Dictionary(uniqueKeysWithValues: zip($0, $1)), Dictionary(uniqueKeysWithValues: zip($1, $0))] }

  private static func otherKeyboards(_ typed: [UInt8]) -> [String] {
    let text = String(decoding: typed, as: UTF8.self).lowercased()
    guard text.count >= keyboardLetters else { return [] }
    return keyboards.compactMap { letters in
      let other = text.compactMap { $0 == " " || $0 == "-" ? $0 : letters[$0] }
      return other.count == text.count ? String(other) : nil
    }
  }
}
