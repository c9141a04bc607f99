import Base
import Text

/// The countries and regions of an index, with the ranks of each.
struct HeadingTable {
  /// A region and its ranks.
  struct Region {
    let country: Int
    let name: String?
    let ranks: Range<Int>
  }

  /// The countries' codes and names, by position.
  let countries: [(code: String, name: String)]
  /// The regions, in the order of ranks.
  let regions: [Region]
  /// The positions of regions by folded name, folded once when the file is opened.
  private let regionsByName: FoldedNames

  /// Reads the headings; ranges are clamped to `count` ranks, so any bytes are safe.
  init(countries: ByteTable, regions: ByteTable, spans: Column, count: Int) {
    let codes = (0..<countries.count).map(countries.text)
    self.countries = codes.map { ($0, CountryName.name(of: $0)) }
    var end = count
    // Backwards, so that no rank is in two regions.
    let found = (0..<regions.count).reversed().map { index in
      let start = min(spans[2 * index + 1], end)
      defer { end = start }
      let name = regions[index].isEmpty ? nil : String(decoding: regions[index].dropFirst(), as: UTF8.self)
      return Region(country: spans[2 * index], name: name, ranks: start..<end)
    }
    self.regions = found.reversed()
    regionsByName = FoldedNames(self.regions.map { $0.name.map { [$0] } ?? [] }, CaseFolder())
  }

  /// The code of the country of the location at `rank`; `nil` if the index is damaged.
  ///
  /// - Complexity: O(log r) in the regions.
  func country(ofRank rank: Int) -> String? {
    let region = regions.partitionPoint { $0.ranks.upperBound <= rank }
    guard region < regions.count, countries.indices.contains(regions[region].country) else { return nil }
    return countries[regions[region].country].code
  }

  /// The regions named `text`, in the order of ranks, of all countries or of those at the positions `within`.
  ///
  /// Exact spellings win; otherwise case and accents are ignored. The empty text means "without a region".
  ///
  /// - Complexity: O(1) in the bytes of `text` beyond those of the longest name; O(r) in the regions for the empty
  ///   text.
  func regions(called text: String, within countries: [Int]?, _ folder: CaseFolder) -> [Region] {
    let isWithin = { (region: Region) in countries?.contains(region.country) ?? true }
    if text.isEmpty { return regions.filter { $0.name == nil && isWithin($0) } }
    let named = regionsByName.positions(of: text, folder).map { regions[$0] }.filter(isWithin)
    // Names are composed; folding has bounded the text.
    let spelled = named.isEmpty ? text : folder.composed(text)
    let exact = named.filter { $0.name == spelled }
    return exact.isEmpty ? named : exact
  }
}

/// Positions by the base letters of names.
struct FoldedNames: Sendable {
  private var positions: [[UInt8]: [Int]] = [:]
  private var longest = 0

  /// Folds the names at each position; duplicates count once.
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
