public import CBOR

/// `city.match`: the city meant by each of many names, with its certainty.
///
/// It is for columns of complete names, while ``CityFind`` is for typing: a whole name comes before any prefix match.
public struct CityMatch: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.match"
  /// The most names in a request; about 5,900 real ones fit the usual limit of requests.
  public static let maximumNames = 8_192
  /// Marks a name without a city, in indices of ``Reply/rows``.
  public static let nothing = UInt32.max

  /// `true`: the reply lists each of its cities once in ``Reply/rows``.
  public var rows: Bool?
  /// Further parts of these rows; none if absent.
  public var with: [CityPart]?
  /// The names; each may be followed by areas, as in ``CityFind/query``.
  public var names: TextLines
  /// `false`: do not correct typos, even if nothing else is found.
  public var typos: Bool?
  /// Only cities in this region (code or name).
  public var region: String?
  /// Only cities in this country (code or name).
  public var country: String?
  /// The region of each name, instead of ``region``; empty means no restriction.
  public var regions: TextLines?
  /// The country of each name, instead of ``country``; empty means no restriction.
  public var countries: TextLines?
  /// `true`: the reply includes the origin of its data.
  public var provenance: Bool?

  /// Asks for the cities meant by `names`.
  public init(
    names: TextLines, rows: Bool? = nil, with parts: [CityPart]? = nil, typos: Bool? = nil, region: String? = nil,
    country: String? = nil, regions: TextLines? = nil, countries: TextLines? = nil, provenance: Bool? = nil
  ) {
    (self.names, self.rows, with, self.typos) = (names, rows, parts, typos)
    (self.region, self.country, self.regions, self.countries) = (region, country, regions, countries)
    self.provenance = provenance
  }

  /// The certainty of a match, from the least; ``Reply/classes`` has the numbers.
  public enum Certainty: UInt8, Sendable, CaseIterable {
    /// Nothing was found, or the name, its region or its country is unknown.
    case none
    /// No whole name matches: the first row of ``CityFind``.
    case guess
    /// Several cities have that name, and the rule of ``ResolvedCity`` selects none: the first in the order of
    /// ``CityFind``. Or the name consists only of decimal digits: the city to which ``CityGet/query`` resolves.
    case likely
    /// The city to which ``CityGet/query`` resolves; the name is not just decimal digits, which may be an id.
    case sure
  }

  /// The cities, in the order of the names.
  public struct Reply: Codable, Equatable, Sendable {
    /// The ids; 0 for a name without a city.
    public var ids: TypedArray<UInt64>
    /// The distinct cities of ``ids``, in order of first occurrence; only with ``CityMatch/rows``.
    public var rows: [CityRow]?
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// For each name, the index of its city in ``rows``, or ``CityMatch/nothing``; only with ``rows``.
    public var index: TypedArray<UInt32>?
    /// The number of each name's ``Certainty``.
    public var classes: TypedArray<UInt8>
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// `false`: for some name, the search stopped before it had checked everything that might be better.
    public var complete: Bool
    /// The generation of the data, 16 hexadecimal digits.
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
