/// One branch or machine of a bank in every reply about banks.
///
/// Keys are declared in the order of their encodings, in which they are found fastest.
public struct BankRow: Codable, Equatable, Sendable {
  /// Its id, such as `swedbank-lt-1f0c9a77` or `imaginary-1`; stable while kind, name, address and position are.
  public var id: String
  /// Degrees north, WGS 84, from −90 to 90.
  public var lat: Double
  /// Degrees east, WGS 84, from −180 to 180.
  public var lon: Double
  /// The bank's name in filters, such as `swedbank-lt`.
  public var bank: String
  /// Further text from the source; lines are separated by `\n`.
  public var info: String?
  /// The kind.
  public var kind: Kind
  /// The name; absent if the source has none.
  public var name: String?
  /// The source's code of an `unknown` kind.
  public var code: Int?
  /// The time zone of its hours, such as `Europe/Vilnius`.
  public var zone: String
  /// An e-mail address.
  public var email: String?
  /// The weekly opening hours; absent if unknown, empty if it is never open.
  public var hours: [OpeningHours]?
  /// A telephone number as written.
  public var phone: String?
  /// The region as spelt in the source; absent if the source has none.
  public var region: String?
  /// The address, possibly empty.
  public var address: String
  /// The country's code (ISO 3166-1 alpha-2).
  public var country: String
  /// Whether a branch handles no cash; `false` if not given.
  public var noCash: Bool
  /// The address of a web site.
  public var website: String?
  /// The opening hours in the source's own words; lines are separated by `\n`.
  public var availability: String?
  /// Whether a branch has a coin machine; `false` if not given.
  public var coinStation: Bool
  /// The country's English name.
  public var countryName: String
  /// The opening hours on public holidays; empty if it is closed, absent if not given.
  public var holidayHours: [HolidayHours]?

  /// Names on the wire.
  public enum CodingKeys: String, CodingKey {
    case id, lat, lon, bank, info, kind, name, code, zone, email, hours, phone, region, address, country, website
    case availability
    case noCash = "no_cash"
    case coinStation = "coin_station"
    case countryName = "country_name"
    case holidayHours = "holiday_hours"
  }

  /// The kind of a location: an open set of names.
  public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
    /// The name on the wire.
    public var rawValue: String
    /// Any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A branch with people.
    public static let branch = Kind(rawValue: "branch")
    /// A cash machine.
    public static let atm = Kind(rawValue: "atm")
    /// A machine that also accepts cash.
    public static let bna = Kind(rawValue: "bna")
    /// Another kind, by the source's code.
    public static let unknown = Kind(rawValue: "unknown")

    /// The kinds of this build.
    public static let all: [Kind] = [.branch, .atm, .bna, .unknown]
  }

  /// Makes a row from the fields that every location has; set the others afterwards.
  public init(
    id: String, bank: String, kind: Kind, name: String? = nil, address: String, region: String? = nil,
    country: String, countryName: String, lat: Double, lon: Double, zone: String
  ) {
    (self.id, self.bank, self.kind, self.name) = (id, bank, kind, name)
    (self.address, self.region, self.country, self.countryName) = (address, region, country, countryName)
    (self.lat, self.lon, self.zone) = (lat, lon, zone)
    (noCash, coinStation) = (false, false)
  }

  /// The title for display and sorting: the name, or else the address.
  public var title: String { name ?? address }
}

/// A stretch of opening hours, in local time.
public struct OpeningHours: Codable, Equatable, Sendable {
  /// The day on which it starts: 0 is Monday, 6 Sunday.
  public var day: Int
  /// The minute of that day at which it opens, 0 to 1,439, inclusive.
  public var opens: Int
  /// The minute at which it closes, counted from the same midnight: at most 24 hours later, so above 1,440 on the next
  /// day; exclusive.
  public var closes: Int

  /// Makes a stretch.
  public init(day: Int, opens: Int, closes: Int) { (self.day, self.opens, self.closes) = (day, opens, closes) }
}

/// A stretch of opening hours on every public holiday, in local time.
public struct HolidayHours: Codable, Equatable, Sendable {
  /// The minute of the day at which it opens, 0 to 1,439, inclusive.
  public var opens: Int
  /// The minute at which it closes, counted as in ``OpeningHours``.
  public var closes: Int

  /// Makes a stretch.
  public init(opens: Int, closes: Int) { (self.opens, self.closes) = (opens, closes) }
}

/// A location in a reply, with the values that depend on the request.
public struct BankEntry: Codable, Equatable, Sendable {
  /// Whether it is open at the requested time.
  public var open: OpenAnswer
  /// The English name of the public holiday at that time, in the location's country and zone; absent on other days.
  public var holiday: String?
  /// The distance from the requested place in whole metres; only in `bank.near`.
  public var distance: UInt64?
  /// The location.
  public var location: BankRow

  /// Makes an entry.
  public init(location: BankRow, open: OpenAnswer, distance: UInt64? = nil, holiday: String? = nil) {
    (self.location, self.open, self.distance, self.holiday) = (location, open, distance, holiday)
  }
}

/// Whether a location is open; unknown hours stay unknown.
public enum OpenAnswer: String, Codable, Sendable, CaseIterable {
  /// It is open.
  case yes
  /// It is closed.
  case no
  /// Its hours, or those of the public holiday, are unknown.
  case unknown
}

/// A filter of locations; all given conditions must hold.
public struct BankConditions: Codable, Equatable, Sendable {
  /// The time for `open`, in the filter and in replies; now if absent.
  ///
  /// RFC 3339 text.
  public var at: String?
  /// A bank, or the part of its name before a hyphen: `swedbank` also matches `swedbank-ee`.
  public var bank: String?
  /// A kind.
  public var kind: BankRow.Kind?
  /// The accepted kinds; at least one.
  public var kinds: [BankRow.Kind]?
  /// `true`: only locations known to be open; `false` or absent: all.
  public var open: Bool?
  /// A region, spelt exactly or ignoring case and accents; empty for locations without one.
  public var region: String?
  /// A country's code or English name, ignoring case and accents.
  public var country: String?

  /// Makes conditions.
  public init(
    country: String? = nil, region: String? = nil, kind: BankRow.Kind? = nil, kinds: [BankRow.Kind]? = nil,
    bank: String? = nil, open: Bool? = nil, at: String? = nil
  ) {
    (self.country, self.region, self.kind, self.kinds) = (country, region, kind, kinds)
    (self.bank, self.open, self.at) = (bank, open, at)
  }
}
