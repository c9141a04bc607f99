package import CitiesProtocol
package import Resident

/// The city list as a stored copy, as it is where the feed `cities` comes from the web.
package struct CityImporter: SubjectImporter {
  /// `cities` alone.
  package let feeds = [FeedName.cities]
  /// The city index.
  package let kind = ResidentCities.kind

  /// Takes lists in the format of ``CityFeed``.
  package init() {}

  /// Counts the list's good and bad records.
  package func examine(_ feed: FeedName, _ bytes: [UInt8]) throws(FeedError) -> FeedContents {
    let made = try CityImport().image(of: SourceFile(bytes: bytes), name: feed.rawValue)
    return FeedContents(made.summary.counts, notes: made.notes, remarks: made.remarks)
  }

  /// Makes the index.
  package func image(of copies: [FeedName: SourceCopy]) throws(FeedError) -> ResidentImage {
    let list = SourceFile(bytes: copies[.cities]?.bytes ?? [])
    return try CityImport().image(of: list, name: FeedName.cities.rawValue).image
  }
}
