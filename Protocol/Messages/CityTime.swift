/// `city.time`: the local time of some places, and their next clock change.
///
/// A position has the time zone of the nearest city.
public struct CityTime: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.time"
  /// The most places in a request.
  public static let maximumPlaces = 100

  /// The places, from one to ``maximumPlaces``.
  public var places: [Place]
  /// The moment: RFC 3339 text, or local to the first place a time without an offset (`2026-03-29T14:30`), a day
  /// (`2026-03-29`, its noon) or a time of the current day (`14:30`); now if absent.
  public var at: String?
  /// `true`: the reply includes the origin of its data.
  public var provenance: Bool?

  /// Asks for the time of `places`.
  public init(places: [Place], at moment: String? = nil, provenance: Bool? = nil) {
    (self.places, at, self.provenance) = (places, moment, provenance)
  }

  /// The next change of a place's clocks.
  public struct Change: Codable, Equatable, Sendable {
    /// The moment.
    public var at: Timestamp
    /// The local time after the change, such as `2026-03-29T04:00:00`.
    public var local: String
    /// The UTC offset after the change, such as `+03:00`.
    public var offset: String

    /// Makes a change.
    public init(at moment: Timestamp, local: String, offset: String) {
      (at, self.local, self.offset) = (moment, local, offset)
    }
  }

  /// The time of a place; fields that depend on a time zone are absent if the zone or its rules are unknown.
  public struct Row: Codable, Equatable, Sendable {
    /// The city, or the one nearest to a position, with its region, if known; absent for a ``Place/zone``.
    public var city: CityRow?
    /// Its time zone, such as `Europe/Tallinn`.
    public var zone: String?
    /// Its local time, such as `2026-03-29T02:59:59`; followed by ``offset``, it is RFC 3339.
    public var local: String?
    /// The next change of its clocks, if any.
    public var change: Change?
    /// The UTC offset, such as `+02:00`; with seconds only if not 0, such as `-00:44:30`.
    public var offset: String?
    /// Whether it is daylight-saving time.
    public var daylight: Bool?
    /// The city to which the place's query was resolved.
    public var resolved: ResolvedCity?
    /// The abbreviation of its time, such as `EET`.
    public var abbreviation: String?

    /// Makes a row of a place whose time is unknown.
    public init(city: CityRow?, zone: String? = nil) { (self.city, self.zone) = (city, zone) }
  }

  /// The times, in the order of the places.
  public struct Reply: Codable, Equatable, Sendable {
    /// The moment of all rows.
    public var at: Timestamp
    /// A row per place.
    public var rows: [Row]
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case at, rows, sources, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(at moment: Timestamp, rows: [Row], generation: String, sources: Provenance? = nil) {
      (at, self.rows, self.generation, self.sources) = (moment, rows, generation, sources)
      asOf = sources?.asOf
    }
  }
}
