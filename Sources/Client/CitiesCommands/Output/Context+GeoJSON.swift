package import CitiesProtocol

extension Context {
  /// Writes cities as GeoJSON, with the properties that the listing commands give them.
  package func writeGeoJSON(cities: [CityRow], generation: String) throws {
    let listing = CityListing.of(cities, total: UInt64(cities.count), generation: generation)
    try RowRenderer(format: .geojson).render(listing, to: output)
  }

  /// Writes bare positions as GeoJSON.
  package func writeGeoJSON(positions: [Position]) throws {
    let listing = Listing<Position>(columns: [], rows: positions, total: UInt64(positions.count)) { $0 }
    try RowRenderer(format: .geojson).render(listing, to: output)
  }
}
