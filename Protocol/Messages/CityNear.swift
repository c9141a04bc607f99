/// `city.near`: the cities near a place, by great circle on a sphere of 6,371,008.8 m.
public struct CityNear: RequestMessage {
  /// The method's name.
  public static let method = "city.near"
  /// The default limit.
  public static let defaultLimit: UInt64 = 10
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// Which cities come first.
  public enum Rule: String, ClosedWord, Codable, Sendable, CaseIterable {
    /// The nearest: the default.
    case nearest
    /// The cities people would name: inhabitants are weighed against the distance.
    case place

    /// Reads a word.
    ///
    /// - Throws: for any other text, with the valid words.
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
  }

  /// Which cities come first; ``Rule/nearest`` if absent.
  public var rule: Rule?
  /// The place; the server resolves a title.
  public var place: Place
  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// The radius in metres; unlimited if absent.
  public var radius: Double?
  /// Further parts of rows; none if absent.
  public var with: [CityPart]?
  /// `true`: the reply includes the origin of its data.
  public var provenance: Bool?

  /// Asks for the neighbours of `place`.
  public init(
    place: Place, rule: Rule? = nil, limit: UInt64? = nil, radius: Double? = nil, provenance: Bool? = nil,
    with parts: [CityPart]? = nil
  ) {
    self.rule = rule
    self.provenance = provenance
    with = parts
    self.place = place
    self.limit = limit
    self.radius = radius
  }

  /// A city and its distance.
  public struct Neighbour: Codable, Equatable, Sendable {
    /// The city.
    public var city: CityRow
    /// The distance in whole metres.
    public var distance: UInt64

    /// Makes a row.
    public init(city: CityRow, distance: UInt64) {
      self.city = city
      self.distance = distance
    }
  }

  /// The neighbours in the order of the rule, ties by distance, then by key.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows; a place that is itself a city is among them.
    public var rows: [Neighbour]
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// The position from which distances are measured.
    public var origin: Position
    /// Whether ``country`` is certain, with no border nearby; older servers omit it.
    public var certain: Bool?
    /// The code of the country at ``origin``; empty at sea; older servers omit it.
    public var country: String?
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The city to which the place's query was resolved.
    public var resolved: ResolvedCity?
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, origin, certain, country, sources, resolved, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(rows: [Neighbour], origin: Position, generation: String, sources: Provenance? = nil) {
      self.rows = rows
      self.origin = origin
      self.generation = generation
      self.sources = sources
      asOf = sources?.asOf
    }
  }
}
