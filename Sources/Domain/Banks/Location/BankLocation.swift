package import Geodesy

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
  /// What else the source says.
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

  /// Hashes what makes a place that place; more would cost time and tell little more apart.
  package func hash(into hasher: inout Hasher) {
    hasher.combine([bank, sourceID, name, address])
    hasher.combine([point.latitude.bitPattern, point.longitude.bitPattern])
  }

  /// All keys as texts, in the order in which locations with equal ids are told apart.
  var contents: [String?] {
    [
      bank, sourceID, kind.code.map(String.init), name, address, region, country, String(point.latitude.bitPattern),
      String(point.longitude.bitPattern), availability, info, String(noCash), String(coinStation), phone, email,
      website, hours?.description, zone,
    ]
  }
}
