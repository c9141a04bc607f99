import Base

/// A query for a place: words, the last of which may name a region or a country.
struct PlaceQuery {
  /// The size of the longest query that can have hits: a name and two areas.
  static let maximumBytes = CityRule.maximumAlternateBytes * 4

  /// An interpretation of a query: a name, and the areas named by the words after it.
  struct Reading {
    /// The number of bytes of the name, from the start of the query.
    let nameBytes: Int
    /// The areas named by the words after it; a city must lie in one area of each choice.
    let areas: [AreaChoice]

    /// Whether the name is the whole query.
    var isWhole: Bool { areas.isEmpty }
  }

  /// The maximum number of letters of a short name.
  private static let shortLetters = 4

  /// The folded query.
  private(set) var key: [UInt8] = []
  /// The end of each word.
  private var ends: [Int] = []
  /// The interpretations, the longest name first; those with an incomplete last area follow.
  private(set) var readings: [Reading] = []
  /// The number of interpretations with complete areas.
  private(set) var wholeReadings = 0

  /// Parses a folded query: words separated by one space.
  ///
  /// Up to two areas may follow a name: `springfield illinois us`.
  ///
  /// - Complexity: O(w²) look-ups of areas for w words, of which at most 2 · ``AreaTable/maximumWords`` may name areas.
  mutating func read(_ folded: UnsafeRawBufferPointer, _ table: AreaTable?) {
    key.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    readings.removeAll(keepingCapacity: true)
    key.append(contentsOf: folded)
    for index in key.indices where key[index] == UInt8(ascii: " ") { ends.append(index) }
    ends.append(key.count)
    readings.append(Reading(nameBytes: key.count, areas: []))
    if let table {
      for last in namesBeforeAreas { readings += readings(after: last, table) { areas($0, table) } }
    }
    wholeReadings = readings.count
  }

  /// Whether the key has at most four letters.
  var isShort: Bool {
    // A letter takes at most four bytes, so most queries need no count.
    key.count <= 4 * Self.shortLetters && key.count { $0 & 0xC0 != 0x80 } <= Self.shortLetters
  }

  /// The areas that the whole query names; `nil` if it names none.
  func wholeArea(_ table: AreaTable?) -> AreaChoice? {
    table.flatMap { areas(0...ends.count - 1, $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Adds the interpretations in which the last words are only the start of an area's name: `springfield ill`.
  ///
  /// `isName` returns whether the first bytes of the key are the whole name of a city.
  ///
  /// - Complexity: O(w²) look-ups of areas, and O(a log a) for a names of areas that start with the last words.
  mutating func readStartedAreas(_ table: AreaTable?, where isName: (_ bytes: Int) -> Bool) {
    guard let table else { return }
    for last in namesBeforeAreas where isName(ends[last]) {
      readings += readings(after: last, table) { words in
        isShort(words) ? key.withUnsafeBytes { table.areas(startingWith: slice(words, of: $0)) } : nil
      }
    }
  }

  /// The indices of words that may end a name before areas.
  private var namesBeforeAreas: StrideThrough<Int> {
    stride(from: ends.count - 2, through: max(0, ends.count - 1 - 2 * AreaTable.maximumWords), by: -1)
  }

  /// The interpretations in which the name ends with the word `last`; `final` returns the areas of the last words.
  private func readings(
    after last: Int, _ table: AreaTable, final: (ClosedRange<Int>) -> AreaChoice?
  ) -> [Reading] {
    let end = ends.count - 1
    var readings: [Reading] = []
    for cut in last + 1...end {
      if cut == end {
        if let areas = final(last + 1...end), !areas.isEmpty {
          readings.append(Reading(nameBytes: ends[last], areas: [areas]))
        }
      } else if let first = areas(last + 1...cut, table), !first.isEmpty,
        let second = final(cut + 1...end), !second.isEmpty
      {
        readings.append(Reading(nameBytes: ends[last], areas: [first, second]))
      }
    }
    return readings
  }

  /// The areas named by a run of words.
  private func areas(_ words: ClosedRange<Int>, _ table: AreaTable) -> AreaChoice? {
    isShort(words) ? key.withUnsafeBytes { table.areas(called: slice(words, of: $0)) } : nil
  }

  private func isShort(_ words: ClosedRange<Int>) -> Bool { words.count <= AreaTable.maximumWords }

  private func slice(_ words: ClosedRange<Int>, of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = words.lowerBound == 0 ? 0 : ends[words.lowerBound - 1] + 1
    return UnsafeRawBufferPointer(rebasing: key[start..<ends[words.upperBound]])
  }
}
