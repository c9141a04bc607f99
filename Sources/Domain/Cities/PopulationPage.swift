import Base

/// A page of matches by population, most inhabitants first, found a few cities at a time and in little memory.
///
/// The inhabitants of the page's first and last city are found digit by digit, most significant first: each pass over the
/// matches counts how many have which next digit among those that share the digits before (radix selection). Three
/// passes of 11, 11 and 10 bits leave both numbers; a fourth takes the cities between them, and the page alone is sorted.
/// It is linear whatever the numbers are, and needs two counters per digit, not a copy of the matches.
///
///     var page = PopulationPage(matches, offset: 0, limit: 20)
///     while page.step(index) { pause() }
///     page.withRows(index) { rows.append($0) }
public struct PopulationPage {
  /// Cities that one step looks at: a few microseconds.
  private static let citiesPerStep = 512
  /// The lowest bit and the width of each pass's digit.
  private static let digits: [(shift: UInt32, bits: UInt32)] = [(21, 11), (10, 11), (0, 10)]

  /// The city at one end of the page: the digits of its fewness that are known, and its place among those that share them.
  private struct End {
    var fewness: UInt32 = 0
    var place: Int
    var counts = [Int](repeating: 0, count: 1 << 11)

    /// Counts a number if it shares the digits above `shift + bits`.
    @inline(__always)
    mutating func count(_ number: UInt32, _ shift: UInt32, _ bits: UInt32) {
      guard (number ^ fewness) >> (shift + bits) == 0 else { return }
      counts[Int(number >> shift & (1 << bits - 1))] += 1
    }

    /// Finds the next digit from the counts, and clears them.
    mutating func fixDigit(_ shift: UInt32) {
      var digit = 0
      while digit < counts.count - 1, place >= counts[digit] {
        place -= counts[digit]
        digit += 1
      }
      fewness |= UInt32(digit) << shift
      for index in counts.indices { counts[index] = 0 }
    }
  }

  private let runs: [Range<Int>]
  private let order: CityOrder
  private let size: Int
  private var first: End
  private var last: End
  /// The pass, and where in it: the run and the position that come next.
  private var pass = 0
  private var run = 0
  private var position = 0
  /// Cities met that have as few inhabitants as the first and the last.
  private var met = (first: 0, last: 0)
  /// The page in the making: fewness above, position below.
  private var found: [UInt64] = []

  /// The page of `matches` from `offset` on.
  public init(_ matches: CityMatches, offset: Int, limit: Int) {
    let page = matches.page(offset: offset, limit: limit)
    (runs, order, size) = (Array(matches.runs), matches.order, page.count)
    (first, last) = (End(place: page.lowerBound), End(place: max(page.upperBound - 1, 0)))
    position = runs.first?.lowerBound ?? 0
  }

  /// Looks at the next few cities.
  ///
  /// - Returns: whether there are more to look at.
  /// - Complexity: O(1); four times as many cities as match are looked at in all.
  public mutating func step(_ index: CityIndex) -> Bool {
    guard size > 0, pass <= Self.digits.count else { return false }
    guard run < runs.count else {
      endPass()
      return pass <= Self.digits.count
    }
    let end = min(position + Self.citiesPerStep, runs[run].upperBound)
    for position in position..<end {
      let fewness = UInt32.max - UInt32(truncatingIfNeeded: index.populations[index.rank(position, order)])
      if pass < Self.digits.count {
        let (shift, bits) = Self.digits[pass]
        first.count(fewness, shift, bits)
        last.count(fewness, shift, bits)
      } else {
        take(fewness, position)
      }
    }
    position = end
    if end == runs[run].upperBound {
      run += 1
      if run < runs.count { position = runs[run].lowerBound }
    }
    return true
  }

  private mutating func endPass() {
    if pass < Self.digits.count {
      first.fixDigit(Self.digits[pass].shift)
      last.fixDigit(Self.digits[pass].shift)
      (run, position) = (0, runs.first?.lowerBound ?? 0)
    } else {
      found.sort()
    }
    pass += 1
  }

  /// Takes a city that lies between both ends; of those as large as an end, the ones at the right places.
  private mutating func take(_ fewness: UInt32, _ position: Int) {
    guard fewness >= first.fewness, fewness <= last.fewness else { return }
    // Both places count from the first city that is as large; positions ascend, as equal cities do in the page.
    let isFirst = fewness == first.fewness, isLast = fewness == last.fewness
    if isFirst { met.first += 1 }
    if isLast { met.last += 1 }
    if isFirst, met.first <= first.place { return }
    if isLast, met.last > last.place + 1 { return }
    found.append(UInt64(fewness) << 32 | UInt64(position))
  }

  /// Hands out the rows of the page, neighbours in the file together.
  public func withRows(_ index: CityIndex, _ append: (UnsafeRawBufferPointer) -> Void) {
    index.withRows(ranks: found.lazy.map { index.rank(Int($0 & 0xFFFF_FFFF), order) }, append)
  }
}
