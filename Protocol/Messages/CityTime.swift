/// `city.time`: what the clocks of some places show, and when they are changed next.
///
/// A place that is a position has the time zone of the city nearest to it.
public struct CityTime: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.time"
  /// The largest number of places of one request.
  public static let maximumPlaces = 100

  /// The places, from one to ``maximumPlaces``.
  public var places: [Place]
  /// The moment: RFC 3339 text, a day (`2026-03-29`, its noon) or a time of the present day (`14:30`) on the clocks of
  /// the first place; now if absent.
  public var at: String?
  /// `true`: the reply says where its data comes from.
  public var provenance: Bool?

  /// Asks for the time of `places`.
  public init(places: [Place], at moment: String? = nil, provenance: Bool? = nil) {
    (self.places, at, self.provenance) = (places, moment, provenance)
  }

  /// The next change of a place's clocks.
  public struct Change: Codable, Equatable, Sendable {
    /// The moment.
    public var at: Timestamp
    /// What clocks show from that moment on, as `2026-03-29T04:00:00`.
    public var local: String
    /// The offset from UTC from that moment on, as `+03:00`.
    public var offset: String

    /// Makes a change.
    public init(at moment: Timestamp, local: String, offset: String) {
      (at, self.local, self.offset) = (moment, local, offset)
    }
  }

  /// The time of a place; what depends on a time zone is absent where that, or its rules, are not known.
  public struct Row: Codable, Equatable, Sendable {
    /// The city, or the one nearest to a position, with its region where that is known; absent for a ``Place/zone``.
    public var city: CityRow?
    /// Its time zone, as `Europe/Tallinn`.
    public var zone: String?
    /// What its clocks show, as `2026-03-29T02:59:59`; with ``offset`` after it, it is RFC 3339.
    public var local: String?
    /// The next change of its clocks, where there is one.
    public var change: Change?
    /// The offset from UTC, as `+02:00`; with seconds only where there are some, as in `-00:44:30`.
    public var offset: String?
    /// Whether it is daylight-saving time.
    public var daylight: Bool?
    /// What the query of the place was taken for.
    public var resolved: ResolvedCity?
    /// The abbreviation of its time, as `EET`.
    public var abbreviation: String?

    /// Makes a row of a place whose time is not known.
    public init(city: CityRow?, zone: String? = nil) { (self.city, self.zone) = (city, zone) }
  }

  /// The times, in the order of the places.
  public struct Reply: Codable, Equatable, Sendable {
    /// The moment of all rows.
    public var at: Timestamp
    /// A row per place.
    public var rows: [Row]
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// What the rows were read from, 16 hexadecimal digits.
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
