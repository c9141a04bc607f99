/// One branch or machine of a bank in every reply about banks.
///
/// Keys are declared in the order of their encodings, in which they are found fastest.
public struct BankRow: Codable, Equatable, Sendable {
  /// Its id, which stays as long as kind, name, address and position do, as `swedbank-lt-1f0c9a77` or `imaginary-1`.
  public var id: String
  /// Degrees north, WGS 84, from −90 to 90.
  public var lat: Double
  /// Degrees east, WGS 84, from −180 to 180.
  public var lon: Double
  /// The bank as filters name it, as `swedbank-lt`.
  public var bank: String
  /// What the source says besides, lines apart by `\n`.
  public var info: String?
  /// What it is.
  public var kind: Kind
  /// The name; absent where the source has none.
  public var name: String?
  /// The source's number of a kind that is `unknown`.
  public var code: Int?
  /// The time zone of its hours, as `Europe/Vilnius`.
  public var zone: String
  /// An e-mail address.
  public var email: String?
  /// When it is open in a week; absent where that is unknown, empty where it never is.
  public var hours: [OpeningHours]?
  /// A telephone number as written.
  public var phone: String?
  /// The region as the source spells it; absent where the source has none.
  public var region: String?
  /// The address, possibly empty.
  public var address: String
  /// The country's code (ISO 3166-1 alpha-2).
  public var country: String
  /// Whether a branch handles no cash; `false` where the source does not say.
  public var noCash: Bool
  /// The address of a web site.
  public var website: String?
  /// When it can be used, in the source's own words, lines apart by `\n`.
  public var availability: String?
  /// Whether a branch has a machine for coins; `false` where the source does not say.
  public var coinStation: Bool
  /// The country's English name.
  public var countryName: String
  /// When it is open on public holidays, empty where it never is; absent where the source does not say.
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

  /// What a location is: an open set of names.
  public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
    /// The name on the wire.
    public var rawValue: String
    /// Any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A branch with people.
    public static let branch = Kind(rawValue: "branch")
    /// A cash machine.
    public static let atm = Kind(rawValue: "atm")
    /// A machine that takes cash in too.
    public static let bna = Kind(rawValue: "bna")
    /// Something that the source calls by a number we do not know.
    public static let unknown = Kind(rawValue: "unknown")

    /// The kinds of this build.
    public static let all: [Kind] = [.branch, .atm, .bna, .unknown]
  }

  /// Makes a row of what every location has; the rest is set afterwards.
  public init(
    id: String, bank: String, kind: Kind, name: String? = nil, address: String, region: String? = nil,
    country: String, countryName: String, lat: Double, lon: Double, zone: String
  ) {
    (self.id, self.bank, self.kind, self.name) = (id, bank, kind, name)
    (self.address, self.region, self.country, self.countryName) = (address, region, country, countryName)
    (self.lat, self.lon, self.zone) = (lat, lon, zone)
    (noCash, coinStation) = (false, false)
  }

  /// What it is called and ordered by: the name, or the address of a location without one.
  public var title: String { name ?? address }
}

/// A stretch of time in which a location is open, on the clock of its own zone.
public struct OpeningHours: Codable, Equatable, Sendable {
  /// The day on which it begins: 0 is Monday, 6 Sunday.
  public var day: Int
  /// The minute of that day at which it opens, 0 to 1,439; open from then on.
  public var opens: Int
  /// The minute at which it closes, counted from the same midnight: at most 24 hours later, so above 1,440 on the next
  /// day; closed from then on.
  public var closes: Int

  /// Makes a stretch.
  public init(day: Int, opens: Int, closes: Int) { (self.day, self.opens, self.closes) = (day, opens, closes) }
}

/// A stretch of time in which a location is open on each public holiday, on the clock of its own zone.
public struct HolidayHours: Codable, Equatable, Sendable {
  /// The minute of the day at which it opens, 0 to 1,439; open from then on.
  public var opens: Int
  /// The minute at which it closes, counted as in ``OpeningHours``.
  public var closes: Int

  /// Makes a stretch.
  public init(opens: Int, closes: Int) { (self.opens, self.closes) = (opens, closes) }
}

/// A location in a reply, with what depends on the question.
public struct BankEntry: Codable, Equatable, Sendable {
  /// Whether it is open at the moment asked about.
  public var open: OpenAnswer
  /// The English name of the public holiday at that moment, in the location's country and zone; absent on other days.
  public var holiday: String?
  /// Whole metres from the place asked about; `bank.near` alone.
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
  /// Its hours are not known, or not those of the public holiday.
  case unknown
}

/// Which locations a question is about; all conditions that are present must hold.
public struct BankConditions: Codable, Equatable, Sendable {
  /// The moment of `open`, in the filter and in replies; now if absent.
  ///
  /// RFC 3339 text.
  public var at: String?
  /// A bank, or the part of its name before a hyphen: `swedbank` stands for `swedbank-ee` too.
  public var bank: String?
  /// A kind.
  public var kind: BankRow.Kind?
  /// Kinds, one of which a location must have; at least one.
  public var kinds: [BankRow.Kind]?
  /// `true`: only locations known to be open; `false` or absent: all.
  public var open: Bool?
  /// A region as it is spelt, or ignoring case and accents; empty: locations without one.
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
