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
  /// Whether its position is far outside its country.
  package var isSuspicious = false

  /// The time zone of a location whose zone is not known; it has no rules, so the state of the location is unknown.
  package static let unknownZone = "Etc/Unknown"

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
  package static func == (one: Self, other: Self) -> Bool {
    one.contents.elementsEqual(other.contents) { $0 == $1 }
  }

  /// Hashes only the fields that identify a place: the others would cost time and distinguish little.
  package func hash(into hasher: inout Hasher) {
    for text in [bank, sourceID, name, address] { hasher.combine(text) }
    hasher.combine([point.latitude.bitPattern, point.longitude.bitPattern])
  }

  /// All fields as texts, in the order that ranks locations with equal ids.
  var contents: [String?] {
    [
      bank, sourceID, kind.code.map(String.init), name, address, region, country, String(point.latitude.bitPattern),
      String(point.longitude.bitPattern), availability, info, String(noCash), String(coinStation), phone, email,
      website, hours?.description, zone, String(isSuspicious),
    ]
  }
}

extension BankLocation {
  /// The location with normalized texts.
  ///
  /// Texts are in NFC, trimmed of white space, and `nil` if nothing is left. In the multi-line texts, availability and
  /// info, `\r\n` and `\r` become `\n`, and no line ends with a space; in names, addresses and regions, a line break
  /// is a comma.
  ///
  /// - Complexity: O(n) in the bytes of the texts.
  package func tidied() -> BankLocation {
    let folder = CaseFolder()
    var tidy = self
    tidy.bank = trimmed(bank, folder)
    tidy.address = oneLine(address, folder)
    tidy.country = trimmed(country, folder)
    tidy.zone = trimmed(zone, folder)
    // Adding 0 turns −0.0 into 0.0.
    tidy.point = GeoPoint(latitude: point.latitude + 0, longitude: point.longitude + 0)
    for field in [\Self.sourceID, \.name, \.region, \.phone, \.email, \.website] {
      tidy[keyPath: field] = present(self[keyPath: field].map { oneLine($0, folder) })
    }
    for field in [\Self.availability, \.info] {
      tidy[keyPath: field] = present(self[keyPath: field].map { trimmedLines($0, folder) })
    }
    return tidy
  }
}

private func present(_ text: String?) -> String? { text?.isEmpty ?? true ? nil : text }

private func trimmed(_ text: String, _ folder: CaseFolder) -> String {
  folder.composed(withoutTrailingBlanks(text.unicodeScalars.drop(while: \.properties.isWhitespace)))
}

private func oneLine(_ text: String, _ folder: CaseFolder) -> String {
  // As bytes: most texts have no line break, and characters take longer.
  guard text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return trimmed(text, folder) }
  let lines = text.split(whereSeparator: \.isNewline).map { trimmed(String($0), folder) }.filter { !$0.isEmpty }
  return lines.reduce("") { $0.isEmpty ? $1 : $0.hasSuffix(",") ? "\($0) \($1)" : "\($0), \($1)" }
}

private func trimmedLines(_ text: String, _ folder: CaseFolder) -> String {
  let scalars = text.unicodeScalars
  var (lines, start, before) = ([String](), scalars.startIndex, nil as Unicode.Scalar?)
  for (index, scalar) in zip(scalars.indices, scalars) {
    defer { before = scalar }
    guard ("\n"..."\r").contains(scalar) || ["\u{85}", "\u{2028}", "\u{2029}"].contains(scalar) else { continue }
    // "\r\n" is one line break.
    if scalar != "\n" || before != "\r" { lines.append(withoutTrailingBlanks(scalars[start..<index])) }
    start = scalars.index(after: index)
  }
  return trimmed((lines + [withoutTrailingBlanks(scalars[start...])]).joined(separator: "\n"), folder)
}

/// By code points: to find the letters of a text with many marks takes longer than to read its hours.
private func withoutTrailingBlanks(_ line: Substring.UnicodeScalarView) -> String {
  guard let last = line.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
  return String(line[...last])
}

/// The kind of a location.
package struct LocationKind: Hashable, Sendable, CustomStringConvertible {
  /// The kind without the code of an unknown one, as filters compare it.
  package let category: LocationCategory
  /// The code in the finder files; `nil` for an unknown kind without a code.
  package let code: Int?

  /// A branch with people, code 0.
  package static let branch = LocationKind(code: 0)
  /// A cash machine, code 1.
  package static let atm = LocationKind(code: 1)
  /// A machine that also accepts cash, code 2.
  package static let bna = LocationKind(code: 2)
  /// Another kind, with the source's code unless it has only a word.
  package static func unknown(_ code: Int?) -> LocationKind { LocationKind(category: .unknown, code: code) }

  private init(category: LocationCategory, code: Int?) { (self.category, self.code) = (category, code) }

  /// The kind for a code of the finder files (`t`).
  package init(code: Int) {
    let categories = LocationCategory.allCases
    self.init(category: categories.indices.contains(code) ? categories[code] : .unknown, code: code)
  }

  var isMachine: Bool { category == .atm || category == .bna }

  /// The kind's name, with the code of an unknown one.
  package var description: String {
    category == .unknown ? code.map { "unknown (\($0))" } ?? "unknown" : category.rawValue
  }
}

/// A kind in a filter; in the order of their numbers in an index.
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
  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
