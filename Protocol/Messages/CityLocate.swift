public import CBOR

/// `city.locate`: the city at each of many positions.
///
/// Positions and answers are typed arrays (RFC 8746), so that thousands of them are a few items, which other programs
/// copy from and to their own arrays.
public struct CityLocate: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.locate"
  /// Positions in one request at most; as floats of 64 bits, 4,000 fit the usual limit of requests.
  public static let maximumPoints = 8_192
  /// What stands for the metres, or the place in ``Reply/rows``, of a position without a city.
  public static let nothing = UInt32.max

  /// Degrees north.
  public var lat: TypedFloats
  /// Degrees east, of the same positions.
  public var lon: TypedFloats
  /// `true`: the reply has each city that it names once in ``Reply/rows``.
  public var rows: Bool?
  /// Which city it is; ``CityNear/Rule/nearest`` if absent.
  public var rule: CityNear.Rule?
  /// `true`: the reply says where its data comes from.
  public var provenance: Bool?

  /// Asks for the cities at positions.
  public init(
    lat: TypedFloats, lon: TypedFloats, rows: Bool? = nil, rule: CityNear.Rule? = nil, provenance: Bool? = nil
  ) {
    (self.lat, self.lon, self.rows, self.rule, self.provenance) = (lat, lon, rows, rule, provenance)
  }

  /// The cities, in the order of the positions.
  public struct Reply: Codable, Equatable, Sendable {
    /// The ids; 0 for an invalid position, such as a latitude of 91 or one that is not a number.
    public var ids: TypedArray<UInt64>
    /// Each city that ``ids`` names once, in the order in which they occur; with ``CityLocate/rows`` alone.
    public var rows: [CityRow]?
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// For each position the place of its city in ``rows``, from 0, or ``CityLocate/nothing``; with those alone.
    public var index: TypedArray<UInt32>?
    /// The distances in whole metres, or ``CityLocate/nothing``.
    public var metres: TypedArray<UInt32>
    /// For each position 1 if its country is certain, else 0; absent in the replies of older servers.
    public var certain: TypedArray<UInt8>?
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// The code of the country of each position, empty at sea; absent in the replies of older servers.
    public var countries: TextLines?
    /// What the cities were read from, 16 hexadecimal digits.
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
