import Text

/// Locations with their ids and the keys that order them: the first step of making an index.
struct OrderedLocations {
  /// A location in its place.
  struct Entry {
    let id: String
    let location: BankLocation
    let country: AlphabeticalKey
    let region: AlphabeticalKey
    let name: AlphabeticalKey
    let address: AlphabeticalKey

    /// By name, those without one last, then by address, then by id.
    func titleIsBelow(_ other: Self) -> Bool {
      if name != other.name { return name < other.name }
      if address != other.address { return address < other.address }
      return bytesAscend(id, other.id)
    }

    /// By country, region and title.
    func headingIsBelow(_ other: Self) -> Bool {
      if country != other.country { return country < other.country }
      if location.country != other.location.country { return bytesAscend(location.country, other.location.country) }
      if region != other.region { return region < other.region }
      return titleIsBelow(other)
    }
  }

  /// By rank.
  let entries: [Entry]

  /// Gives ids and orders `locations`, which are tidied.
  ///
  /// - Complexity: O(n log n).
  init(_ locations: [BankLocation]) {
    self.init(identified: Array(zip(LocationIDs.assign(to: locations), locations)))
  }

  /// Orders locations that have their ids already, all different.
  ///
  /// - Complexity: O(n log n).
  init(identified locations: [(id: String, location: BankLocation)]) {
    let folder = Folder()
    entries = locations.map { id, location in
      Entry(
        id: id, location: location, country: AlphabeticalKey(CountryName.name(of: location.country), folder),
        region: AlphabeticalKey(location.region, folder), name: AlphabeticalKey(location.name, folder),
        address: AlphabeticalKey(location.address, folder))
    }.sorted { $0.headingIsBelow($1) }
  }

  /// The ranks in an order of their own.
  func order(_ isBelow: (Entry, Entry) -> Bool) -> [UInt32] {
    (0..<UInt32(entries.count)).sorted { isBelow(entries[Int($0)], entries[Int($1)]) }
  }
}
