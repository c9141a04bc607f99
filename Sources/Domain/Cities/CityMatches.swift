/// The cities that a question found, in its order; used again from question to question, whose memory it keeps.
public struct CityMatches {
  /// All matches, exactly.
  public internal(set) var total = 0

  /// The order that `runs` are positions in.
  var order = CityOrder.plain
  /// The matches: ranges of positions, ascending, none empty.
  var runs = RunList()
  /// A key in the making.
  var scratch: [UInt8] = []
  /// Runs that were only counted.
  var probe = RunList()
  /// Matches on their way into the order of inhabitants.
  var selection: [UInt64] = []
  /// What the matches have in common, where it stands in the index as it is; else it is `title`.
  var sharedKey = UnsafeRawBufferPointer(start: nil, count: 0)
  /// What the matches have in common, put together.
  var title: [UInt8] = []

  /// Makes an empty one.
  public init() {}

  /// The longest common prefix of all matches' folded titles in UTF-8, cut at a code point; empty if nothing matches.
  public var common: [UInt8] { withCommon { [UInt8]($0) } }

  /// Lends ``common`` without copying it; the index that was asked must still be there.
  public func withCommon<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    sharedKey.isEmpty ? title.withUnsafeBytes(body) : body(sharedKey)
  }

  /// How many rows a page has: `limit`, or what is left from `offset` on.
  ///
  /// Negative numbers are as good as 0.
  public func rows(offset: Int, limit: Int) -> Int { page(offset: offset, limit: limit).count }

  /// The page as a range of matches.
  func page(offset: Int, limit: Int) -> Range<Int> {
    let start = min(max(offset, 0), total)
    return start..<(start + min(max(limit, 0), total - start))
  }

  mutating func begin(_ order: CityOrder) {
    self.order = order
    total = 0
    runs.removeAll()
    if !title.isEmpty { title.removeLast(title.count) }
    sharedKey = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Calls `body` with the parts of the runs that the matches in `page` are.
  func forEachPart(of page: Range<Int>, _ body: (Range<Int>) -> Void) {
    var first = 0
    for run in runs {
      if first >= page.upperBound { return }
      let part = page.clamped(to: first..<(first + run.count))
      if !part.isEmpty {
        let start = run.lowerBound + (part.lowerBound - first)
        body(start..<(start + part.count))
      }
      first += run.count
    }
  }

  /// The position of the match at `index`.
  func position(at index: Int) -> Int? {
    var position: Int?
    guard index >= 0, index < total else { return nil }
    forEachPart(of: index..<(index + 1)) { position = $0.lowerBound }
    return position
  }
}

/// An order of cities.
enum CityOrder {
  /// By key: positions are ranks.
  case plain
  /// By base key, then by key.
  case folded
  /// By country, then by key: positions in the list of ranks.
  case countryPlain
  /// By country, then by base key and key: positions in the list of folded positions.
  case countryFolded
}
