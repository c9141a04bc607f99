#if canImport(FoundationEssentials)
  import FoundationEssentials
#endif
import Foundation

/// The city list of the specification, where it lies beside the checkout.
public enum RealCities {
  /// One record.
  public struct Record: Codable, Sendable {
    /// The country's code.
    public var country: String
    /// The name.
    public var name: String
    /// The source's id.
    public var id: UInt64
    /// Where it is.
    public var coord: Coordinate

    enum CodingKeys: String, CodingKey {
      case country, name, coord
      case id = "_id"
    }
  }

  /// A position.
  public struct Coordinate: Codable, Sendable {
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
  }
}
