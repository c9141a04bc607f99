import Base
import CPrefetch

/// What cities of one county and one time zone have in common.
struct Locality {
  /// Numbers that it takes in the file.
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

/// Where cities lie: in which country, region and county, and in which time zone.
///
/// A damaged file may have any bytes here: a number that leads outside is 0, and a text is empty.
///
/// It holds addresses alone and no reference, because it is asked for every row of an answer: counting references would
/// cost more than the question.
struct LocalityTable {
  private let cities: Column
  private let numbers: Column
  /// The texts of localities; `nil` if there are none.
  let texts: ByteTable?

  init(_ section: (CitySection) -> UnsafeRawBufferPointer) {
    cities = Column(section(.cityLocalities))
    numbers = Column(section(.localities))
    texts = ByteTable(section(.localityTexts))
  }

  /// The locality with a number.
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

  /// Has the number of the locality of the city at `rank` loaded.
  @inline(__always)
  func prefetch(ofRank rank: Int) {
    if let address = cities.address(of: rank) { cities_prefetch(address) }
  }

  /// Whether the texts are UTF-8, as far as they are in the range `parts` of `whole` equal parts.
  ///
  /// - Complexity: O(k) in the bytes of these texts.
  func hasOnlyText(in parts: Range<Int>, of whole: Int) -> Bool {
    guard let texts, whole > 0 else { return true }
    let start = parts.lowerBound * texts.count / whole
    let end = parts.upperBound * texts.count / whole
    return (start..<end).allSatisfy { isValidUTF8(texts[$0]) }
  }
}
