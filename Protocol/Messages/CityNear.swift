/// `city.near`: the cities near a place, by great circle on a sphere of 6,371,008.8 m.
public struct CityNear: RequestMessage {
  /// The method's name.
  public static let method = "city.near"
  /// Rows when no limit is given.
  public static let defaultLimit: UInt64 = 10
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// Which cities come first.
  public enum Rule: String, ClosedWord, Codable, Sendable, CaseIterable {
    /// The nearest: the default.
    case nearest
    /// Those that people mean by the place: many inhabitants weigh against the distance.
    case place

    /// Reads a word.
    ///
    /// - Throws: for any other text, with the words that there are.
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
  }

  /// Which cities come first; ``Rule/nearest`` if absent.
  public var rule: Rule?
  /// The place; its title is resolved in the server.
  public var place: Place
  /// Rows at most; ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// The radius in metres; unlimited if absent.
  public var radius: Double?
  /// What rows say beyond what they always do; nothing if absent.
  public var with: [CityPart]?
  /// `true`: the reply says where its data comes from.
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

  /// A city and how far it is.
  public struct Neighbour: Codable, Equatable, Sendable {
    /// The city.
    public var city: CityRow
    /// Whole metres.
    public var distance: UInt64

    /// Makes a row.
    public init(city: CityRow, distance: UInt64) {
      self.city = city
      self.distance = distance
    }
  }

  /// The neighbours in the order of the rule, equal ones by distance, then by key.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows; a place that is a city itself is among them, at its distance.
    public var rows: [Neighbour]
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// Where distances are measured from.
    public var origin: Position
    /// Whether ``country`` is certain: no border is near; absent in the replies of older servers.
    public var certain: Bool?
    /// The code of the country that ``origin`` is in; empty at sea, absent in the replies of older servers.
    public var country: String?
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// What the query of the place was taken for.
    public var resolved: ResolvedCity?
    /// What the rows were read from, 16 hexadecimal digits.
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
