public import CBOR

/// `city.match`: the city that each of many names means, and how sure that is.
///
/// It is for columns of names that people have written, where ``CityFind`` is for somebody who types: names are
/// finished, and a whole name comes before any start of one.
public struct CityMatch: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.match"
  /// Names in one request at most; about 5,900 real ones fit the usual limit of requests.
  public static let maximumNames = 8_192
  /// What stands for the place in ``Reply/rows`` of a name without a city.
  public static let nothing = UInt32.max

  /// `true`: the reply has each city that it names once in ``Reply/rows``.
  public var rows: Bool?
  /// What these rows say beyond what they always do; nothing if absent.
  public var with: [CityPart]?
  /// The names; each may have areas after it, as in ``CityFind/query``.
  public var names: TextLines
  /// `false`: names with typing errors are not looked for, even if nothing else is found.
  public var typos: Bool?
  /// Only cities of this region: its code or one of its names.
  public var region: String?
  /// Only cities of this country: its code or one of its names.
  public var country: String?
  /// For each name its region, in the place of ``region``; an empty one does not narrow it.
  public var regions: TextLines?
  /// For each name its country, in the place of ``country``; an empty one does not narrow it.
  public var countries: TextLines?
  /// `true`: the reply says where its data comes from.
  public var provenance: Bool?

  /// Asks for the cities that `names` mean.
  public init(
    names: TextLines, rows: Bool? = nil, with parts: [CityPart]? = nil, typos: Bool? = nil, region: String? = nil,
    country: String? = nil, regions: TextLines? = nil, countries: TextLines? = nil, provenance: Bool? = nil
  ) {
    (self.names, self.rows, with, self.typos) = (names, rows, parts, typos)
    (self.region, self.country, self.regions, self.countries) = (region, country, regions, countries)
    self.provenance = provenance
  }

  /// How sure it is that a city is meant, from the least; ``Reply/classes`` has the numbers.
  public enum Certainty: UInt8, Sendable, CaseIterable {
    /// Nothing was found, or the name, its region or its country names nothing.
    case none
    /// Nothing is called so in whole: the first row of ``CityFind``.
    case guess
    /// Several cities are called so, and none is meant by the rule of ``ResolvedCity``: the first of them in the order
    /// of ``CityFind``. Or the name consists of decimal digits alone: the city that ``CityGet/query`` is taken for.
    case likely
    /// The city that ``CityGet/query`` is taken for; the name has more than decimal digits, which may be an id.
    case sure
  }

  /// The cities, in the order of the names.
  public struct Reply: Codable, Equatable, Sendable {
    /// The ids; 0 for a name without a city.
    public var ids: TypedArray<UInt64>
    /// Each city that ``ids`` names once, in the order in which they occur; with ``CityMatch/rows`` alone.
    public var rows: [CityRow]?
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// For each name the place of its city in ``rows``, from 0, or ``CityMatch/nothing``; with those alone.
    public var index: TypedArray<UInt32>?
    /// For each name the number of its ``Certainty``.
    public var classes: TypedArray<UInt8>
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// `false`: for some name the search was cut before it had looked at everything that could be better.
    public var complete: Bool
    /// What the cities were read from, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case ids, rows, index, classes, sources, complete, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(
      ids: [UInt64], classes: [Certainty], rows: [CityRow]? = nil, index: [UInt32]? = nil, complete: Bool = true,
      generation: String, sources: Provenance? = nil
    ) {
      (self.ids, self.classes) = (TypedArray(ids), TypedArray(classes.map(\.rawValue)))
      (self.rows, self.index, self.complete) = (rows, index.map(TypedArray.init), complete)
      (self.generation, self.sources, asOf) = (generation, sources, sources?.asOf)
    }
  }
}
