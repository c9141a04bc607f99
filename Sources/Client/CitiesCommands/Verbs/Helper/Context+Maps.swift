package import CitiesClient
package import CitiesProtocol

// What the helper program needs of the listing commands: the same rows, so that GeoJSON of a map is that of a list.
extension Context {
  /// Every location that fits, page by page.
  package func allLocations(_ request: BankList, _ options: ConnectionOptions) throws(ClientError) -> BankPage {
    try ask(options) { (client) throws(ClientError) in
      try Pages(client: client, first: request, wanted: .max).fetch().0
    }
  }

  /// Writes a city as GeoJSON.
  package func writeGeoJSON(_ reply: CityGet.Reply) throws {
    let listing = CityListing.of([reply.city], total: 1, generation: reply.generation)
    try RowRenderer(format: .geojson).render(listing, to: output)
  }

  /// Writes a bare position as GeoJSON.
  package func writeGeoJSON(_ position: Position) throws {
    let listing = Listing<Position>(columns: [], rows: [position], total: 1, position: { $0 })
    try RowRenderer(format: .geojson).render(listing, to: output)
  }

  /// Writes a location as GeoJSON.
  package func writeGeoJSON(_ reply: BankGet.Reply) throws {
    try RowRenderer(format: .geojson).render(BankListing.of(reply), to: output)
  }

  /// Writes neighbours as GeoJSON.
  package func writeGeoJSON(_ reply: BankNear.Reply) throws {
    try RowRenderer(format: .geojson).render(BankListing.of(reply), to: output)
  }

  /// Writes locations as GeoJSON.
  package func writeGeoJSON(_ page: BankPage) throws {
    try RowRenderer(format: .geojson).render(BankListing.of(page, isUnderHeadings: false), to: output)
  }

  /// Tells what a reader must know of the data behind a map: that it is made up, that it is old.
  package func tell(_ sources: Provenance, isInAnswer: Bool) {
    SourceNotes(sources: sources).tell(self, isInAnswer ? .geojson : .tsv)
  }
}
