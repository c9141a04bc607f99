/// `bank.get`: one location by id.
public struct BankGet: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "bank.get"

  /// The time for `open`; now if absent.
  ///
  /// RFC 3339 text.
  public var at: String?
  /// The location's id.
  public var id: String

  /// Asks by id.
  public init(id: String, at: String? = nil) { (self.id, self.at) = (id, at) }

  /// The location.
  public struct Reply: Codable, Equatable, Sendable {
    /// When the data was last taken from its source.
    public var asOf: Timestamp?
    /// The location, and whether it is open.
    public var entry: BankEntry
    /// Where the data comes from.
    public var sources: Provenance
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case entry, sources, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(entry: BankEntry, sources: Provenance, generation: String) {
      (self.entry, self.sources, self.generation) = (entry, sources, generation)
      asOf = sources.asOf
    }
  }
}
