/// `city.get`: one city, by id, by title, or by any of its names.
///
/// A title is compared in four tiers, and the first that finds anything decides: `name, country` as written (case
/// folded), the name alone, then both without diacritics. Several cities in the deciding tier are `ambiguous`, unless
/// `near` chooses the nearest of them.
public struct CityGet: RequestMessage {
  /// The method's name.
  public static let method = "city.get"
  /// The city's id, `ambiguous` if several cities have it; exactly one of `id`, `title` and `query` is given.
  public var id: UInt64?
  /// The city's title, `name, country`, or its name alone.
  public var title: String?
  /// Of several cities with the title or name, the one nearest to this place.
  public var near: Place?
  /// What the city says beyond its row, its region and its time zone, which it always says; nothing if absent.
  public var with: [CityPart]?
  /// A name of the city: a title, or a whole name in any language; see ``ResolvedCity``.
  public var query: String?
  /// `true`: the reply says where its data comes from.
  public var provenance: Bool?

  /// Asks by id.
  public init(id: UInt64, provenance: Bool? = nil, with parts: [CityPart]? = nil) {
    (self.id, self.provenance, with) = (id, provenance, parts)
  }

  /// Asks by title.
  public init(title: String, near: Place? = nil, provenance: Bool? = nil, with parts: [CityPart]? = nil) {
    self.provenance = provenance
    with = parts
    self.title = title
    self.near = near
  }

  /// Asks by what people call the city.
  public init(query: String, near: Place? = nil, provenance: Bool? = nil, with parts: [CityPart]? = nil) {
    (self.query, self.near, self.provenance, with) = (query, near, provenance, parts)
  }

  /// The city.
  public struct Reply: Codable, Equatable, Sendable {
    /// The city, with its region and its time zone where they are known.
    public var city: CityRow
    /// The time zone of the city, which says the same, for programs that look for it where ``CityFind/Row`` has it.
    public var zone: String?
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// The region of the city, which says the same.
    public var region: String?
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// What the query was taken for.
    public var resolved: ResolvedCity?
    /// What it was read from, 16 hexadecimal digits.
    public var generation: String
    /// The code of that region, which the city says, too.
    public var regionCode: String?
    /// What the query of `near` was taken for.
    public var resolvedNear: ResolvedCity?

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case city, zone, region, sources, resolved, generation
      case asOf = "as_of"
      case regionCode = "region_code"
      case resolvedNear = "resolved_near"
    }

    /// Makes a reply.
    public init(city: CityRow, generation: String, sources: Provenance? = nil) {
      self.city = city
      self.generation = generation
      self.sources = sources
      asOf = sources?.asOf
    }
  }
}
