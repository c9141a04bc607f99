import Base

/// What somebody typed to find a place: words, of which the last may name the region or the country.
struct PlaceQuery {
  /// Bytes of the longest query that can find anything: a name and two areas.
  static let maximumBytes = CityRule.maximumAlternateBytes * 4

  /// One way to read a query: a name, and the areas that the words after it name.
  struct Reading {
    /// Bytes of the name, from the start of the query.
    let nameBytes: Int
    /// The positions in ``AreaTable`` of what the words name; a city must lie in one area of each range.
    let areas: [Range<Int>]

    /// Whether the name is the whole query.
    var isWhole: Bool { areas.isEmpty }
  }

  /// The folded query.
  private(set) var key: [UInt8] = []
  /// Where each word ends.
  private var ends: [Int] = []
  /// The ways to read it, the longest name first.
  private(set) var readings: [Reading] = []

  /// Reads a folded query: words with one space between them.
  ///
  /// Up to two areas may follow a name: `springfield illinois us`.
  ///
  /// - Complexity: O(w²) look-ups of areas for w words, at most 2 · ``AreaTable/maximumWords`` of which may name areas.
  mutating func read(_ folded: UnsafeRawBufferPointer, _ table: AreaTable?) {
    key.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    readings.removeAll(keepingCapacity: true)
    key.append(contentsOf: folded)
    for index in key.indices where key[index] == UInt8(ascii: " ") { ends.append(index) }
    ends.append(key.count)
    readings.append(Reading(nameBytes: key.count, areas: []))
    guard let table, ends.count > 1 else { return }
    let earliest = max(0, ends.count - 1 - 2 * AreaTable.maximumWords)
    for last in stride(from: ends.count - 2, through: earliest, by: -1) { readAreas(after: last, table) }
  }

  /// Adds the readings in which the name ends with the word `last`.
  private mutating func readAreas(after last: Int, _ table: AreaTable) {
    let final = ends.count - 1
    for cut in last + 1...final {
      let first = areas(last + 1...cut, table)
      guard !first.isEmpty else { continue }
      if cut == final {
        readings.append(Reading(nameBytes: ends[last], areas: [first]))
      } else {
        let second = areas(cut + 1...final, table)
        if !second.isEmpty { readings.append(Reading(nameBytes: ends[last], areas: [first, second])) }
      }
    }
  }

  /// What a run of words names.
  private func areas(_ words: ClosedRange<Int>, _ table: AreaTable) -> Range<Int> {
    guard words.count <= AreaTable.maximumWords else { return 0..<0 }
    let start = words.lowerBound == 0 ? 0 : ends[words.lowerBound - 1] + 1
    return key.withUnsafeBytes { table.areas(called: UnsafeRawBufferPointer(rebasing: $0[start..<ends[words.upperBound]])) }
  }
}
