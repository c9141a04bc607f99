import CPrefetch

/// The common properties of the cities in one county and time zone.
struct Locality {
  /// The number of columns in the file.
  static let fields = 7

  /// The number of the country in ``CountryTable``.
  let country: Int
  /// The number of the first locality in the same region.
  let region: Int
  /// The texts of the region's code, the region's name and the zone.
  let code, name, zone: Int
  /// The number of the first locality in the same county, and the text of the county's code.
  let county, countyCode: Int
}

/// The country, region, county and time zone of every city.
///
/// In a corrupt file the bytes may be anything: an index out of range reads as 0, and a text as empty.
///
/// It holds only addresses, no references, because it is used for every row of a reply: reference counting would cost
/// more than the look-up.
struct LocalityTable {
  private let cities: Column
  private let numbers: Column
  /// The texts of localities; `nil` without a table of texts.
  let texts: ByteTable?

  init(_ section: (CitySection) -> UnsafeRawBufferPointer) {
    cities = Column(section(.cityLocalities))
    numbers = Column(section(.localities))
    texts = ByteTable(section(.localityTexts))
  }

  @inline(__always)
  subscript(index: Int) -> Locality {
    let start = index &* Locality.fields
    return Locality(
      country: numbers[start], region: numbers[start &+ 1], code: numbers[start &+ 2], name: numbers[start &+ 3],
      zone: numbers[start &+ 4], county: numbers[start &+ 5], countyCode: numbers[start &+ 6])
  }

  /// The locality of the city at `rank`.
  @inline(__always)
  func locality(ofRank rank: Int) -> Locality { self[cities[rank]] }

  /// Prefetches the locality number of the city at `rank`.
  @inline(__always)
  func prefetch(ofRank rank: Int) {
    if let address = cities.address(of: rank) { cities_prefetch(address) }
  }

  /// Checks that the texts in the range `parts` of `whole` equal parts are UTF-8.
  ///
  /// - Complexity: O(k) in the bytes of these texts.
  func hasOnlyText(in parts: Range<Int>, of whole: Int) -> Bool {
    guard let texts, whole > 0 else { return true }
    let start = parts.lowerBound * texts.count / whole
    let end = parts.upperBound * texts.count / whole
    return (start..<end).allSatisfy { isValidUTF8(texts[$0]) }
  }
}
