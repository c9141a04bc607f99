import CivilTime
import Geodesy

/// The requirements of a location in the index, on which the rest of the domain relies.
package enum BankRule {
  /// Most locations in an index: ranks are stored in 30 bits, and real lists have a few thousand.
  package static let maximumLocations = 1 << 24
  /// Most bytes of a bank's name or a source's id.
  package static let maximumNameBytes = 64
  /// Most bytes of a single-line text.
  package static let maximumLineBytes = 1 << 10
  /// Most bytes of a multi-line text.
  package static let maximumTextBytes = 16 << 10

  /// Why `location`, which is tidied, cannot be in the index; `nil` if it can.
  ///
  /// - Complexity: O(n) in the bytes of the texts.
  package static func problem(with location: BankLocation) -> BankProblem? {
    if !isName(location.bank, and: "-") { return .badBank(shown(location.bank)) }
    if let id = location.sourceID, !isID(id) { return .badID(shown(id)) }
    if !isCode(location.country) { return .badCountry(shown(location.country)) }
    if !ZoneRules.isName(location.zone) { return .badZone(shown(location.zone)) }
    if let problem = texts(location).lazy.compactMap(problem).first { return problem }
    // The negated comparisons refuse NaN as well.
    if !(abs(location.point.latitude) <= 90) { return .latitudeOutOfRange(location.point.latitude) }
    if !(abs(location.point.longitude) <= 180) { return .longitudeOutOfRange(location.point.longitude) }
    return nil
  }

  private static func texts(_ location: BankLocation) -> [(field: String, text: String?, maximum: Int)] {
    [
      ("name", location.name, maximumLineBytes), ("address", location.address, maximumLineBytes),
      ("region", location.region, maximumLineBytes), ("phone", location.phone, maximumLineBytes),
      ("e-mail", location.email, maximumLineBytes), ("web site", location.website, maximumLineBytes),
      ("availability", location.availability, maximumTextBytes), ("info", location.info, maximumTextBytes),
    ]
  }

  private static func problem(_ field: String, _ text: String?, _ maximum: Int) -> BankProblem? {
    let bytes = text?.utf8.count ?? 0
    if bytes > maximum { return .tooLong(field, bytes: bytes, maximum: maximum) }
    return text?.utf8.contains(0) ?? false ? .zeroCharacter(field) : nil
  }

  /// Whether a text can be a source's id.
  package static func isID(_ text: String) -> Bool { isName(text, and: "-_./:") }

  /// Whether a text has 1 to 64 letters, digits and `others`, so that it needs no quotes in shell scripts.
  private static func isName(_ text: String, and others: String) -> Bool {
    (1...maximumNameBytes).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { isASCIILetterOrDigit($0) || others.unicodeScalars.contains($0) }
  }

  private static func isCode(_ text: String) -> Bool {
    text.utf8.count == 2 && text.unicodeScalars.allSatisfy { ("A"..."Z").contains($0) }
  }

  private static func isASCIILetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  private static func shown(_ text: String) -> String { text.excerpt(maximumNameBytes) }
}

/// Why a location is refused.
package enum BankProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bank is not a name of letters, digits and hyphens.
  case badBank(String)
  /// The source's id is not a name of letters, digits and `-_./:`.
  case badID(String)
  /// The country is not a code of two capital letters.
  case badCountry(String)
  /// The zone's name is malformed.
  case badZone(String)
  /// A text exceeds its limit.
  case tooLong(String, bytes: Int, maximum: Int)
  /// A text contains U+0000.
  case zeroCharacter(String)
  /// The latitude is not between −90 and 90, or not a number.
  case latitudeOutOfRange(Double)
  /// The longitude is not between −180 and 180, or not a number.
  case longitudeOutOfRange(Double)

  /// The fault in one clause for a report, with the expected and the found value.
  package var description: String {
    switch self {
    case .badBank(let text): "the bank \"\(text)\" is not 1 to 64 letters, digits and hyphens"
    case .badID(let text): "the id \"\(text)\" is not 1 to 64 letters, digits and -_./:"
    case .badCountry(let text): "the country \"\(text)\" is not a code of two capital letters"
    case .badZone(let text): "the time zone \"\(text)\" is not a name such as Europe/Vilnius"
    case .tooLong(let field, let bytes, let maximum): "the \(field) has \(bytes) bytes, at most \(maximum) are kept"
    case .zeroCharacter(let field): "the \(field) contains U+0000"
    case .latitudeOutOfRange(let value): "latitude \(value) is not between -90 and 90"
    case .longitudeOutOfRange(let value): "longitude \(value) is not between -180 and 180"
    }
  }
}
