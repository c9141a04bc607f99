/// Puts cities in order and makes the sections of an index.
public struct CityIndexBuilder {
  /// Makes an empty builder.
  public init() {}

  /// Adds a city; `true` if one with the same id stood there and was replaced.
  public mutating func add(_ city: City) -> Bool { fatalError("not written yet") }

  /// Orders everything and returns the sections; `row` gives the opaque bytes of one city.
  public func build(row: (City) throws -> [UInt8]) rethrows -> [CitySection: [UInt8]] { fatalError("not written yet") }
}
