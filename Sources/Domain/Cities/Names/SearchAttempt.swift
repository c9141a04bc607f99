/// A way to read a query.
///
/// A search makes one attempt after the other, in the order of the cases, until one finds a city. `Protocol/README.md`
/// has an example and the rule of each, in the same order.
public enum SearchAttempt: String, CaseIterable, Sendable {
  /// Names and areas as typed, with a complete last word.
  case wholeWords = "whole words"
  /// Names and areas as typed.
  case asTyped = "as typed"
  /// The query is an area, whose cities are found.
  case area = "an area alone"
  /// The name before areas goes on with another word.
  case startedName = "started name"
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
    case .wholeWords, .asTyped, .area, .startedName, .postalCode, .address, .characters, .order, .startedArea: false
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
