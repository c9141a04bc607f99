package import Geodesy
import Text

/// A branch or a machine of a bank, as imported.
package struct BankLocation: Hashable, Sendable {
  /// The bank's name in ids and filters: lower-case letters, digits and hyphens, such as `swedbank-lt`.
  package var bank: String
  /// The source's own id, if any.
  package var sourceID: String?
  /// Its kind.
  package var kind: LocationKind
  /// The name, if any.
  package var name: String?
  /// The address, possibly empty.
  package var address: String
  /// The region as spelt in the source, if any.
  package var region: String?
  /// The country's code, two capital letters (ISO 3166-1 alpha-2).
  package var country: String
  /// Its position.
  package var point: GeoPoint
  /// The opening hours in the source's own words.
  package var availability: String?
  /// Further text from the source.
  package var info: String?
  /// Whether a branch handles no cash; `false` if not given.
  package var noCash = false
  /// Whether a branch has a coin machine; `false` if not given.
  package var coinStation = false
  /// A telephone number as written.
  package var phone: String?
  /// An e-mail address.
  package var email: String?
  /// The address of a web site.
  package var website: String?
  /// Its opening hours; `nil` if unknown.
  package var hours: WeeklyHours?
  /// The time zone of the hours, such as `Europe/Vilnius`.
  package var zone: String

  /// Makes a location from the fields that every source has; set the others afterwards.
  package init(
    bank: String, sourceID: String? = nil, kind: LocationKind, name: String? = nil, address: String,
    region: String? = nil, country: String, point: GeoPoint, zone: String
  ) {
    (self.bank, self.sourceID, self.kind) = (bank, sourceID, kind)
    (self.name, self.address, self.region, self.country) = (name, address, region, country)
    (self.point, self.zone) = (point, zone)
  }

  /// The title for searching and sorting: the name, or else the address.
  package var title: String { name ?? address }

  /// The text for keyword searches.
  package var searchText: String { [name, address].compactMap(\.self).joined(separator: " ") }

  /// Compares all fields, positions by their bits.
  package static func == (one: Self, other: Self) -> Bool { one.contents == other.contents }

  /// Hashes only the fields that identify a place: the others would cost time and distinguish little.
  package func hash(into hasher: inout Hasher) {
    hasher.combine([bank, sourceID, name, address])
    hasher.combine([point.latitude.bitPattern, point.longitude.bitPattern])
  }

  /// All fields as texts, in the order that ranks locations with equal ids.
  var contents: [String?] {
    [
      bank, sourceID, kind.code.map(String.init), name, address, region, country, String(point.latitude.bitPattern),
      String(point.longitude.bitPattern), availability, info, String(noCash), String(coinStation), phone, email,
      website, hours?.description, zone,
    ]
  }
}

extension BankLocation {
  /// The location with normalized texts.
  ///
  /// Texts are in NFC, trimmed of white space, and `nil` if nothing is left. In the multi-line texts, availability and
  /// info, `\r\n` and `\r` become `\n`, and no line ends with a space.
  ///
  /// - Complexity: O(n) in the bytes of the texts.
  package func tidied() -> BankLocation {
    let folder = CaseFolder()
    var tidy = self
    tidy.bank = trimmed(bank, folder)
    tidy.address = trimmed(address, folder)
    tidy.country = trimmed(country, folder)
    tidy.zone = trimmed(zone, folder)
    // Adding 0 turns −0.0 into 0.0.
    tidy.point = GeoPoint(latitude: point.latitude + 0, longitude: point.longitude + 0)
    for field in [\Self.sourceID, \.name, \.region, \.phone, \.email, \.website] {
      tidy[keyPath: field] = present(self[keyPath: field].map { trimmed($0, folder) })
    }
    for field in [\Self.availability, \.info] {
      tidy[keyPath: field] = present(self[keyPath: field].map { trimmedLines($0, folder) })
    }
    return tidy
  }
}

private func present(_ text: String?) -> String? { text?.isEmpty ?? true ? nil : text }

private func trimmed(_ text: String, _ folder: CaseFolder) -> String {
  folder.composed(String(withoutTrailingBlanks(text.drop(while: \.isWhitespace))))
}

private func trimmedLines(_ text: String, _ folder: CaseFolder) -> String {
  // "\r\n" is a single character.
  let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  return trimmed(lines.map { withoutTrailingBlanks($0) }.joined(separator: "\n"), folder)
}

private func withoutTrailingBlanks(_ line: Substring) -> Substring {
  guard let last = line.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return line[...last]
}

/// The kind of a location.
package enum LocationKind: Hashable, Sendable, CustomStringConvertible {
  /// A branch with people, code 0.
  case branch
  /// A cash machine, code 1.
  case atm
  /// A machine that also accepts cash, code 2.
  case bna
  /// Another kind, with the source's code unless it has only a word.
  case unknown(Int?)

  /// The kind for a code of the finder files (`t`).
  package init(code: Int) {
    switch code {
    case 0: self = .branch
    case 1: self = .atm
    case 2: self = .bna
    default: self = .unknown(code)
    }
  }

  /// The code in the finder files; `nil` for an unknown kind without a code.
  package var code: Int? {
    switch self {
    case .branch: 0
    case .atm: 1
    case .bna: 2
    case .unknown(let code): code
    }
  }

  var isMachine: Bool { self == .atm || self == .bna }

  /// The kind's name, with the code of an unknown one.
  package var description: String {
    if case .unknown(let code?) = self { return "unknown (\(code))" }
    return category.rawValue
  }

  /// The kind without the code of an unknown one, as filters compare it.
  package var category: LocationCategory {
    switch self {
    case .branch: .branch
    case .atm: .atm
    case .bna: .bna
    case .unknown: .unknown
    }
  }
}

/// A kind in a filter.
package enum LocationCategory: String, CaseIterable, Sendable {
  /// Branches.
  case branch
  /// Cash machines.
  case atm
  /// Machines that also accept cash.
  case bna
  /// All other kinds.
  case unknown

  /// Its number in an index.
  var number: Int {
    switch self {
    case .branch: 0
    case .atm: 1
    case .bna: 2
    case .unknown: 3
    }
  }
}
