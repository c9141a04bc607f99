import Columns
import Text

/// A country with its regions, as a list of headings shows them.
package struct CountryHeading: Equatable, Sendable {
  /// The country's code.
  package var code: String
  /// The country's English name, or its code where there is no name.
  package var name: String
  /// Locations in the country.
  package var count: Int
  /// The regions in alphabetical order; locations without a region come last, under a heading without a name.
  package var regions: [RegionHeading]

  /// Makes a heading.
  package init(code: String, name: String, count: Int, regions: [RegionHeading]) {
    (self.code, self.name, self.count, self.regions) = (code, name, count, regions)
  }
}

/// A region, as a list of headings shows it.
package struct RegionHeading: Equatable, Sendable {
  /// The region as the source spells it; `nil` for the locations without one.
  package var name: String?
  /// Locations in the region.
  package var count: Int

  /// Makes a heading.
  package init(name: String?, count: Int) { (self.name, self.count) = (name, count) }
}

/// The countries and regions of an index, and the ranks that stand under each.
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

  /// Reads the headings once; ranges are kept within `count` ranks, whatever the bytes say.
  init(countries: ByteTable, regions: ByteTable, spans: Column, count: Int) {
    let codes = (0..<countries.count).map(countries.text)
    self.countries = codes.map { ($0, CountryName.name(of: $0)) }
    var end = count
    // From the last to the first, so that no rank stands under two headings.
    self.regions = (0..<regions.count).reversed().map { index in
      let start = min(spans[2 * index + 1], end)
      defer { end = start }
      let name = regions[index].isEmpty ? nil : String(decoding: regions[index].dropFirst(), as: UTF8.self)
      return Region(country: spans[2 * index], name: name, ranks: start..<end)
    }.reversed()
  }

  /// The positions of the countries that are called `text`: by code or by name, whatever the case and the accents.
  func countries(called text: String, _ folder: Folder) -> Set<Int> {
    let wanted = folder.folded(text, .baseLetters)
    return Set(
      countries.indices.filter {
        folder.folded(countries[$0].code, .baseLetters) == wanted
          || folder.folded(countries[$0].name, .baseLetters) == wanted
      })
  }

  /// Those of `candidates` that are called `text`.
  ///
  /// They are the ones spelt exactly so, or else all that differ only in case and accents. The empty text is "without a
  /// region".
  func regions(called text: String, in candidates: [Region], _ folder: Folder) -> [Region] {
    if text.isEmpty { return candidates.filter { $0.name == nil } }
    let exact = candidates.filter { $0.name == text }
    if !exact.isEmpty { return exact }
    let wanted = folder.folded(text, .baseLetters)
    return candidates.filter { $0.name.map { folder.folded($0, .baseLetters) == wanted } ?? false }
  }
}
