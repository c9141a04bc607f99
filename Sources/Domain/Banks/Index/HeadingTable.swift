import Coroutines
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

  /// The budget's steps per region.
  private static let steps = 4

  /// The positions of the regions named `text`, in the order of ranks, of all countries or of those at the positions
  /// `within`.
  ///
  /// Exact spellings win; otherwise case and accents are ignored. The empty text means "without a region", `nil` any.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(1) in the bytes of `text` beyond those of the longest name; O(r) in the regions for the empty
  ///   text, `nil`, and a name of which each has another spelling.
  func regions(
    called text: String?, within countries: Set<Int>?, _ budget: Budget
  ) async throws(Stopped) -> [Int] {
    let folder = CaseFolder()
    let name = text.flatMap { $0.isEmpty ? nil : $0 }
    let named = name.map { regionsByName.positions(of: $0, folder) }
    // Names are composed; folding has bounded the text.
    let spelled = name.flatMap { named?.isEmpty == false ? folder.composed($0) : nil }
    var (found, exact) = ([Int](), [Int]())
    // Copying them as they grow would take longer than a slice.
    found.reserveCapacity(named?.count ?? regions.count)
    for index in 0..<(named?.count ?? regions.count) {
      try await budget.check(Self.steps)
      let position = named?[index] ?? index
      let region = regions[position]
      guard countries?.contains(region.country) ?? true, name != nil || text == nil || region.name == nil else {
        continue
      }
      found.append(position)
      if let spelled, region.name == spelled { exact.append(position) }
    }
    return exact.isEmpty ? found : exact
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
