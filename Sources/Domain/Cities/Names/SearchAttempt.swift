/// A way to read a query.
///
/// A search makes one attempt after the other, in the order of the cases, until one finds a city. The table of attempts
/// in `Protocol/README.md` is written from ``table``; a test compares them.
public enum SearchAttempt: String, CaseIterable, Sendable {
  /// Names and areas as typed, with a complete last word.
  case wholeWords = "whole words"
  /// Names and areas as typed.
  case asTyped = "as typed"
  /// The query is an area, whose cities are found.
  case area = "an area alone"
  /// Without a postal code.
  case postalCode = "postal code"
  /// Without the formal parts of an address, and with abbreviations expanded.
  case address = "an address"
  /// In simplified or traditional Chinese characters.
  case characters = "other characters"
  /// The words in another order.
  case order = "other order"
  /// The last words are the start of an area's name.
  case startedArea = "started area"
  /// Without a last word of two letters, which may be the code of an unknown area, or without a country that the list
  /// has in another one.
  case unknownCode = "unknown code"
  /// Without a word that says what kind of place it is.
  case kind = "kind of place"
  /// With typing errors, but not in the first letter.
  case typingErrors = "typing errors"
  /// With a typing error in the first letter.
  case firstLetter = "first letter"
  /// Without the kind of place, with typing errors.
  case kindWithErrors = "kind of place with errors"
  /// The city of an address that begins with the street, or with the province.
  case endOfAddress = "end of an address"
  /// Without the last words, but with the areas at the end.
  case fewerWords = "fewer words"
  /// Typed with another keyboard layout.
  case keyboard = "other keyboard"
  /// In Latin letters.
  case latin = "Latin letters"

  /// An example of each attempt, and its rule.
  package static let table: KeyValuePairs<Self, (example: String, rule: String)> = [
    .wholeWords: (
      "san ",
      """
      only if the query ends with a separator: its last word is whole, and the name ends there or goes on with another \
      word
      """
    ),
    .asTyped: ("springfield illinois", "names, starts of names, whole names with areas"),
    .area: (
      "bavaria",
      """
      the query names an area, or a region or county and an area around it (`kent uk`); the rows are its cities, with \
      `by: "area"`
      """
    ),
    .postalCode: (
      "26150 Die",
      """
      the query without a postal code, by the rows of the table of addresses below that name one; only whole names, and \
      none that is a country or region
      """
    ),
    .address: (
      "S. Paulo",
      """
      the keys of the query by the table of addresses below, as if typed, but none that is a country or region; all \
      keys count, at most 23
      """
    ),
    .characters: (
      "紐約",
      """
      a Chinese key in simplified and in traditional characters, see below, and a query without the character \
      references of HTML (`Orl&eacute;ans`), as if typed; all count
      """
    ),
    .order: (
      "japan nagoya",
      "up to four words in every order, more rotated; only whole names, and whole names with areas; all orders count"
    ),
    .startedArea: ("springfield ill", "the last words are the start of the name of a country or region"),
    .unknownCode: (
      "Milano XY",
      """
      without the last words that name a country, as many as possible (`Sevastopol, Russia`), or if none do, without a \
      last word of two letters; whole names with a score of 500 or more
      """
    ),
    .kind: (
      "Seoul City",
      """
      without a word for the kind of place at the end of the name, or if that finds nothing, at its start; only whole \
      names, with or without areas, for 100 less; weighed together with the names of the next attempt
      """
    ),
    .typingErrors: ("lonodn", "names that fit with typing errors, see below"),
    .firstLetter: ("xallinn", "whole names with one error, which is in the first letter"),
    .kindWithErrors: (
      "Sevile City",
      "the name without the first of the words for the kind of place, with typing errors, then with one in its first letter"
    ),
    .endOfAddress: (
      "10 Downing Street, London",
      """
      what follows the first comma, or the next ones, without numbers of three and more digits; a query without digits \
      has a score of 500 or more there. An address in Chinese, Japanese or Korean ends with the city after a division \
      (`浙江省宁波市`), which is looked for in the first division, then without it; see below. Only whole names, and none \
      that is a country or region
      """
    ),
    .fewerWords: (
      "Canton (C), OH",
      """
      without the last words of the name, as few as possible, but with the areas after it; if that finds nothing, \
      without the last words of the query, unless a state or province stays. At least four letters or a letter not in \
      ASCII remain of the name, and not only numbers; whole names
      """
    ),
    .keyboard: (
      "vjcrdf",
      """
      a text of four characters or more, typed with a Russian or Greek keyboard set to English, or the reverse, as if \
      typed
      """
    ),
    .latin: (
      "टार्टू", "the key in Latin letters, see below: each of its forms as if typed, then the first with typing errors"
    ),
  ]

  /// Whether it omits or replaces a part of the query: the first form with hits ends the search.
  var isGuess: Bool {
    switch self {
    case .unknownCode, .kind, .kindWithErrors, .endOfAddress, .fewerWords, .keyboard, .latin: true
    default: false
    }
  }

  /// Whether it leaves out parts of an address, so that the rest may be an area.
  var isOfAddress: Bool {
    switch self {
    case .postalCode, .address, .endOfAddress: true
    default: false
    }
  }

  /// Whether the start of a name matches, too.
  var allowsStarts: Bool {
    switch self {
    case .postalCode, .order, .unknownCode, .kind, .endOfAddress, .fewerWords: false
    default: true
    }
  }

  /// Whether it is made only if typing errors are corrected.
  var isCorrection: Bool {
    switch self {
    case .wholeWords, .asTyped, .area, .postalCode, .address, .characters, .order, .startedArea: false
    default: true
    }
  }

  /// The attempt after it.
  var next: Self? {
    guard let place = Self.sequence.firstIndex(of: self), place + 1 < Self.sequence.count else { return nil }
    return Self.sequence[place + 1]
  }

  private static let sequence = allCases
}
