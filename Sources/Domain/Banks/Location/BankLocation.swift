package import Geodesy
import Text

/// A branch or a machine of a bank, as an importer found it.
package struct BankLocation: Hashable, Sendable {
  /// The bank as ids and filters name it: small letters, digits and hyphens, as `swedbank-lt`.
  package var bank: String
  /// The source's own id, where it has one.
  package var sourceID: String?
  /// What it is.
  package var kind: LocationKind
  /// The name, where there is one.
  package var name: String?
  /// The address, possibly empty.
  package var address: String
  /// The region as the source spells it, where there is one.
  package var region: String?
  /// The country's code, two capital letters (ISO 3166-1 alpha-2).
  package var country: String
  /// Where it is.
  package var point: GeoPoint
  /// When it can be used, in the source's own words.
  package var availability: String?
  /// Further text of the source.
  package var info: String?
  /// Whether a branch handles no cash; what a source leaves out is `false`.
  package var noCash = false
  /// Whether a branch has a machine for coins; what a source leaves out is `false`.
  package var coinStation = false
  /// A telephone number as written.
  package var phone: String?
  /// An e-mail address.
  package var email: String?
  /// The address of a web site.
  package var website: String?
  /// When it is open; `nil` where that is unknown.
  package var hours: WeeklyHours?
  /// The time zone that the hours are in, as `Europe/Vilnius`.
  package var zone: String

  /// Makes a location of what every source knows; the rest is set afterwards.
  package init(
    bank: String, sourceID: String? = nil, kind: LocationKind, name: String? = nil, address: String,
    region: String? = nil, country: String, point: GeoPoint, zone: String
  ) {
    (self.bank, self.sourceID, self.kind) = (bank, sourceID, kind)
    (self.name, self.address, self.region, self.country) = (name, address, region, country)
    (self.point, self.zone) = (point, zone)
  }

  /// What it is found and ordered by: the name, or the address of a location without one.
  package var title: String { name ?? address }

  /// What a keyword search looks into.
  package var searchText: String { [name, address].compactMap(\.self).joined(separator: " ") }

  /// Equality of all keys, positions by their bits.
  package static func == (one: Self, other: Self) -> Bool { one.contents == other.contents }

  /// Hashes the fields that identify a place; more of them would cost time and distinguish little more.
  package func hash(into hasher: inout Hasher) {
    hasher.combine([bank, sourceID, name, address])
    hasher.combine([point.latitude.bitPattern, point.longitude.bitPattern])
  }

  /// All keys as texts, in the order that distinguishes locations with equal ids.
  var contents: [String?] {
    [
      bank, sourceID, kind.code.map(String.init), name, address, region, country, String(point.latitude.bitPattern),
      String(point.longitude.bitPattern), availability, info, String(noCash), String(coinStation), phone, email,
      website, hours?.description, zone,
    ]
  }
}

extension BankLocation {
  /// The location with tidy texts.
  ///
  /// All are in NFC, without white space at either end, and absent where nothing is left. In availability and info,
  /// which have several lines, `\r\n` and `\r` are `\n` and no line ends with a space.
  ///
  /// - Complexity: O(n) in the bytes of the texts.
  package func tidied() -> BankLocation {
    let folder = CaseFolder()
    var tidy = self
    tidy.bank = trimmed(bank, folder)
    tidy.address = trimmed(address, folder)
    tidy.country = trimmed(country, folder)
    tidy.zone = trimmed(zone, folder)
    // A zero is a zero: −0.0 differs from it in its bits alone.
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

private func trimmed(_ text: some StringProtocol, _ folder: CaseFolder) -> String {
  let start = text.drop(while: \.isWhitespace)
  guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return folder.composed(String(start[...last]))
}

private func trimmedLines(_ text: String, _ folder: CaseFolder) -> String {
  // A character that is a line's end may be "\r\n", which is one.
  let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  return trimmed(lines.map { withoutTrailingBlanks($0) }.joined(separator: "\n"), folder)
}

private func withoutTrailingBlanks(_ line: Substring) -> Substring {
  guard let last = line.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return line[...last]
}

/// What a location is.
package enum LocationKind: Hashable, Sendable, CustomStringConvertible {
  /// A branch with people, code 0.
  case branch
  /// A cash machine, code 1.
  case atm
  /// A machine that takes cash in too, code 2.
  case bna
  /// Something that a source calls by a code we do not know, or by a word.
  case unknown(Int?)

  /// The kind with the code that the finder files use (`t`).
  package init(code: Int) {
    switch code {
    case 0: self = .branch
    case 1: self = .atm
    case 2: self = .bna
    default: self = .unknown(code)
    }
  }

  /// The finder files' code; `nil` for an unknown kind that a source has a word for.
  package var code: Int? {
    switch self {
    case .branch: 0
    case .atm: 1
    case .bna: 2
    case .unknown(let code): code
    }
  }

  /// Whether it needs nobody to serve customers.
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

/// A kind as a filter names it.
package enum LocationCategory: String, CaseIterable, Sendable {
  /// Branches.
  case branch
  /// Cash machines.
  case atm
  /// Machines that take cash in too.
  case bna
  /// All that a source calls by an unknown code.
  case unknown

  /// The number that stands for it in an index.
  var number: Int {
    switch self {
    case .branch: 0
    case .atm: 1
    case .bna: 2
    case .unknown: 3
    }
  }
}
