/// `city.get`: one city, by id, by title, or by any of its names.
///
/// A title is compared in four tiers, of which the first with a match decides: `name, country` as written (case
/// folded), the name alone, then both without diacritics. Several cities in that tier are `ambiguous`, unless `near`
/// selects the nearest.
public struct CityGet: RequestMessage {
  /// The method's name.
  public static let method = "city.get"
  /// The city's id, `ambiguous` if several cities have it; exactly one of `id`, `title` and `query` must be given.
  public var id: UInt64?
  /// The city's title, `name, country`, or its name alone.
  public var title: String?
  /// Selects the nearest to this place of several cities with the title or name.
  public var near: Place?
  /// Further parts of the city, besides its row, region and time zone; none if absent.
  public var with: [CityPart]?
  /// A name of the city: a title, or a whole name in any language; see ``ResolvedCity``.
  public var query: String?
  /// `true`: the reply includes the origin of its data.
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

  /// Asks by any name of the city.
  public init(query: String, near: Place? = nil, provenance: Bool? = nil, with parts: [CityPart]? = nil) {
    (self.query, self.near, self.provenance, with) = (query, near, provenance, parts)
  }

  /// The city.
  public struct Reply: Codable, Equatable, Sendable {
    /// The city, with its region and time zone, if known.
    public var city: CityRow
    /// The city's time zone again, for programs that expect it where ``CityFind/Row`` has it.
    public var zone: String?
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// The city's region again.
    public var region: String?
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The city to which the query was resolved.
    public var resolved: ResolvedCity?
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String
    /// The code of the city's region again.
    public var regionCode: String?
    /// The city to which the query of `near` was resolved.
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
