import Base

/// A typed query for a place: words, of which the last may name the region or the country.
struct PlaceQuery {
  /// Bytes of the longest query that can find anything: a name and two areas.
  static let maximumBytes = CityRule.maximumAlternateBytes * 4

  /// One way to read a query: a name, and the areas that the words after it name.
  struct Reading {
    /// Bytes of the name, from the start of the query.
    let nameBytes: Int
    /// What the words after it name; a city must lie in one area of each.
    let areas: [AreaChoice]

    /// Whether the name is the whole query.
    var isWhole: Bool { areas.isEmpty }
  }

  /// Letters of a short name.
  private static let shortLetters = 4

  /// The folded query.
  private(set) var key: [UInt8] = []
  /// Where each word ends.
  private var ends: [Int] = []
  /// The ways to read it, the longest name first, then those in which the last area is only started.
  private(set) var readings: [Reading] = []
  /// How many of these readings have whole areas.
  private(set) var wholeReadings = 0

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
    if let table {
      for last in namesBeforeAreas { readings += readings(after: last, table) { areas($0, table) } }
    }
    wholeReadings = readings.count
  }

  /// Whether it has at most four letters.
  var isShort: Bool {
    // A letter takes four bytes at most, so that most queries are not read.
    key.count <= 4 * Self.shortLetters && key.count { $0 & 0xC0 != 0x80 } <= Self.shortLetters
  }

  /// The areas that the whole query names; `nil` if it names none.
  func wholeArea(_ table: AreaTable?) -> AreaChoice? {
    table.flatMap { areas(0...ends.count - 1, $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Adds the readings in which the last words are only the start of an area's name: `springfield ill`.
  ///
  /// `isName` says whether the first bytes of the key are the whole name of a city.
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

  /// The words that may be the last of a name before areas.
  private var namesBeforeAreas: StrideThrough<Int> {
    stride(from: ends.count - 2, through: max(0, ends.count - 1 - 2 * AreaTable.maximumWords), by: -1)
  }

  /// The readings in which the name ends with the word `last`; `final` gives the areas of the last words.
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

  /// What a run of words names.
  private func areas(_ words: ClosedRange<Int>, _ table: AreaTable) -> AreaChoice? {
    isShort(words) ? key.withUnsafeBytes { table.areas(called: slice(words, of: $0)) } : nil
  }

  private func isShort(_ words: ClosedRange<Int>) -> Bool { words.count <= AreaTable.maximumWords }

  private func slice(_ words: ClosedRange<Int>, of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = words.lowerBound == 0 ? 0 : ends[words.lowerBound - 1] + 1
    return UnsafeRawBufferPointer(rebasing: key[start..<ends[words.upperBound]])
  }
}
