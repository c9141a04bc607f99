public import CBOR

/// `city.locate`: the city at each of many positions.
///
/// Positions and answers are typed arrays (RFC 8746), so that thousands of them are a few items, which programs can
/// copy from and to their own arrays.
public struct CityLocate: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.locate"
  /// The most positions in a request; as 64-bit floats, 4,000 fit the usual limit of requests.
  public static let maximumPoints = 8_192
  /// Marks a position without a city, in metres and indices of ``Reply/rows``.
  public static let nothing = UInt32.max

  /// Degrees north.
  public var lat: TypedFloats
  /// Degrees east of the same positions.
  public var lon: TypedFloats
  /// `true`: the reply lists each of its cities once in ``Reply/rows``.
  public var rows: Bool?
  /// The rule that selects the city; ``CityNear/Rule/nearest`` if absent.
  public var rule: CityNear.Rule?
  /// `true`: the reply includes the origin of its data.
  public var provenance: Bool?

  /// Asks for the cities at positions.
  public init(
    lat: TypedFloats, lon: TypedFloats, rows: Bool? = nil, rule: CityNear.Rule? = nil, provenance: Bool? = nil
  ) {
    (self.lat, self.lon, self.rows, self.rule, self.provenance) = (lat, lon, rows, rule, provenance)
  }

  /// The cities, in the order of the positions.
  public struct Reply: Codable, Equatable, Sendable {
    /// The ids; 0 for an invalid position, such as a latitude of 91 or NaN.
    public var ids: TypedArray<UInt64>
    /// The distinct cities of ``ids``, in order of first occurrence; only with ``CityLocate/rows``.
    public var rows: [CityRow]?
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// For each position, the index of its city in ``rows``, or ``CityLocate/nothing``; only with ``rows``.
    public var index: TypedArray<UInt32>?
    /// The distances in whole metres, or ``CityLocate/nothing``.
    public var metres: TypedArray<UInt32>
    /// For each position, 1 if its country is certain, else 0; older servers omit it.
    public var certain: TypedArray<UInt8>?
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The country code of each position, empty at sea; older servers omit it.
    public var countries: TextLines?
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case ids, rows, index, metres, certain, sources, countries, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(
      ids: [UInt64], metres: [UInt32], rows: [CityRow]? = nil, index: [UInt32]? = nil, generation: String,
      sources: Provenance? = nil
    ) {
      (self.ids, self.metres, self.rows) = (TypedArray(ids), TypedArray(metres), rows)
      (self.index, self.generation, self.sources) = (index.map(TypedArray.init), generation, sources)
      asOf = sources?.asOf
    }
  }
}
