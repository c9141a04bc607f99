/// `city.within`: the cities between two parallels and two meridians, largest first.
public struct CityWithin: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.within"
  /// The default limit.
  public static let defaultLimit: UInt64 = 100
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// The edges in degrees, inclusive.
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

  /// The box.
  public var box: Box
  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// The fewest inhabitants; unless absent or 0, cities of unknown size are left out.
  public var population: UInt64?
  /// Further parts of rows; none if absent.
  public var with: [CityPart]?
  /// `true`: the reply includes the origin of its data.
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
    /// The rows, largest first, unknown last, ties by key.
    public var rows: [CityRow]
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The generation of the data, 16 hexadecimal digits.
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
