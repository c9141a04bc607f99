/// `rate.list`: the given rates; with a base, every conversion to it, given or derived.
public struct RateList: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "rate.list"

  /// The target currency; if absent, the given rates are listed.
  public var base: String?

  /// Asks for rates.
  public init(base: String? = nil) { self.base = base }

  /// Rates, sorted by the codes of their currencies.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rates; with a base, one from every other currency with a path to it.
    public var rows: [ConversionRow]
    /// When the data was last taken from its sources, the older of them.
    public var asOf: Timestamp?
    /// Where the data comes from.
    public var sources: Provenance
    /// The version of the data that was read, 16 hexadecimal digits.
    public var generation: String
    /// With a base, the currencies without a path to it; else empty.
    public var unreachable: [String]

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, sources, generation, unreachable
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(rows: [ConversionRow], unreachable: [String], sources: Provenance, generation: String) {
      (self.rows, self.unreachable, self.sources, self.generation) = (rows, unreachable, sources, generation)
      asOf = sources.asOf
    }
  }
}
