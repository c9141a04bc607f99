/// `city.within`: the cities between two parallels and two meridians, largest first.
public struct CityWithin: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.within"
  /// Rows when no limit is given.
  public static let defaultLimit: UInt64 = 100
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// The edges in degrees; they belong to the box.
  public struct Box: Codable, Equatable, Sendable {
    /// The eastern edge, −180 to 180.
    public var east: Double
    /// The western edge, −180 to 180; east of ``east`` if the box crosses the meridian of 180°.
    public var west: Double
    /// The northern edge, −90 to 90.
    public var north: Double
    /// The southern edge, −90 to 90, not north of ``north``.
    public var south: Double

    /// Makes a box.
    public init(south: Double, west: Double, north: Double, east: Double) {
      (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }
  }

  /// Where.
  public var box: Box
  /// Rows at most; ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// The fewest inhabitants; cities of which none are known are left out, unless it is absent or 0.
  public var population: UInt64?
  /// What rows say beyond what they always do; nothing if absent.
  public var with: [CityPart]?
  /// `true`: the reply says where its data comes from.
  public var provenance: Bool?

  /// Asks for the cities in `box`.
  public init(
    box: Box, limit: UInt64? = nil, population: UInt64? = nil, provenance: Bool? = nil, with parts: [CityPart]? = nil
  ) {
    (self.box, self.limit, self.population) = (box, limit, population)
    (self.provenance, with) = (provenance, parts)
  }

  /// The cities.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows, largest first, unknown last, equal ones by key.
    public var rows: [CityRow]
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// What the rows were read from, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, sources, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(rows: [CityRow], generation: String, sources: Provenance? = nil) {
      (self.rows, self.generation, self.sources) = (rows, generation, sources)
      asOf = sources?.asOf
    }
  }
}
