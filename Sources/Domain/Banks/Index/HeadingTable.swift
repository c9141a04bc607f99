import Base
import Text

/// The countries and regions of an index, and the ranks that are under each.
struct HeadingTable {
  /// A region's part of the ranks.
  struct Region {
    let country: Int
    let name: String?
    let ranks: Range<Int>
  }

  /// By position: code and name.
  let countries: [(code: String, name: String)]
  /// In the order of ranks.
  let regions: [Region]
  /// The positions of countries and of regions by the base letters of their names, folded once when the file is opened.
  private let countriesByName: FoldedNames
  private let regionsByName: FoldedNames

  /// Reads the headings once; ranges are clamped to `count` ranks, for any bytes.
  init(countries: ByteTable, regions: ByteTable, spans: Column, count: Int) {
    let codes = (0..<countries.count).map(countries.text)
    self.countries = codes.map { ($0, CountryName.name(of: $0)) }
    var end = count
    // From the last to the first, so that no rank is under two headings.
    let found = (0..<regions.count).reversed().map { index in
      let start = min(spans[2 * index + 1], end)
      defer { end = start }
      let name = regions[index].isEmpty ? nil : String(decoding: regions[index].dropFirst(), as: UTF8.self)
      return Region(country: spans[2 * index], name: name, ranks: start..<end)
    }
    self.regions = found.reversed()
    let folder = CaseFolder()
    countriesByName = FoldedNames(self.countries.map { [$0.code, $0.name] }, folder)
    regionsByName = FoldedNames(self.regions.map { $0.name.map { [$0] } ?? [] }, folder)
  }

  /// The code of the country that the location at `rank` is in; `nil` if the index is damaged.
  ///
  /// - Complexity: O(log r) in the regions.
  func country(ofRank rank: Int) -> String? {
    let region = regions.partitionPoint { $0.ranks.upperBound <= rank }
    guard region < regions.count, countries.indices.contains(regions[region].country) else { return nil }
    return countries[regions[region].country].code
  }

  /// The positions of the countries that are called `text`: by code or by name, ignoring case and accents.
  ///
  /// - Complexity: O(1) in the bytes of `text` beyond those of the longest name.
  func countries(called text: String, _ folder: CaseFolder) -> [Int] { countriesByName.positions(of: text, folder) }

  /// The regions that are called `text`, in the order of ranks, of all countries or of those at the positions `within`.
  ///
  /// They are the ones spelt exactly so, or else all that differ only in case and accents. The empty text is "without a
  /// region".
  ///
  /// - Complexity: as ``countries(called:_:)``; O(r) in the regions for the empty text.
  func regions(called text: String, within countries: [Int]?, _ folder: CaseFolder) -> [Region] {
    let isWithin = { (region: Region) in countries?.contains(region.country) ?? true }
    if text.isEmpty { return regions.filter { $0.name == nil && isWithin($0) } }
    let named = regionsByName.positions(of: text, folder).map { regions[$0] }.filter(isWithin)
    let exact = named.filter { $0.name == text }
    return exact.isEmpty ? named : exact
  }
}

/// The positions of things by the base letters of their names.
struct FoldedNames: Sendable {
  private var positions: [[UInt8]: [Int]] = [:]
  private var longest = 0

  /// Folds the names of the thing at each position; the same name twice counts once.
  init(_ names: [[String]], _ folder: CaseFolder) {
    for (position, names) in names.enumerated() {
      for name in Set(names.map { folder.folded($0, .baseLetters) }) {
        positions[name, default: []].append(position)
        longest = max(longest, name.count)
      }
    }
  }

  /// The positions, ascending; none for a text longer than all names.
  func positions(of text: String, _ folder: CaseFolder) -> [Int] {
    folder.folded(text, .baseLetters, atMost: longest).flatMap { positions[$0] } ?? []
  }
}
