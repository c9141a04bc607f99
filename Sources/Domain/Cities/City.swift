/// One city as the importer found it.
public struct City: Equatable, Sendable {
  /// The source's id.
  public var id: UInt64
  /// The name, NFC, not empty, without U+0000 and U+0001.
  public var name: String
  /// The country's code; empty where the source names none.
  public var country: String
  /// Degrees north, −90 to 90.
  public var latitude: Double
  /// Degrees east, −180 to 180.
  public var longitude: Double
  /// Inhabitants, where known.
  public var population: UInt64?

  /// Makes a city.
  public init(id: UInt64, name: String, country: String, latitude: Double, longitude: Double, population: UInt64? = nil)
  {
    self.id = id
    self.name = name
    self.country = country
    self.latitude = latitude
    self.longitude = longitude
    self.population = population
  }
}
