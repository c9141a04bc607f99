import CPrefetch

/// May end the name in a title.
private let comma = UInt8(ascii: ",")

extension CityIndex {
  /// Finds the cities whose title starts with `query`, which is already folded by `mode` (`country` by `.plain`).
  ///
  /// A title is `name, country`. The answer to a query with k commas is at most k + 1 ranges: for every comma that can
  /// end a name, the cities with exactly the name before it and a country that starts with the rest; then the cities
  /// whose name starts with the whole query. In keys a name ends with byte 01, which is below the comma, so the ranges
  /// ascend in that order.
  ///
  /// `country` is a whole folded code. Queries that contain the bytes 00 or 01, or are longer than any key, match
  /// nothing.
  ///
  /// - Complexity: O(m · (k + 1)) in the bytes and commas of `query`, and O(log n) with a country; no allocation once
  ///   `matches` has grown.
  public func search(
    _ query: UnsafeRawBufferPointer, mode: CityMatchMode, country: UnsafeRawBufferPointer? = nil,
    into matches: inout CityMatches
  ) {
    guard country == nil, query.count <= longestTitle(mode),
      query.allSatisfy({ $0 > keySeparator && $0 != comma })
    else {
      return searchRuns(query, Scope(mode: mode, country: country.map(countries.list)), into: &matches)
    }
    matches.begin(mode == .plain ? .plain : .folded)
    let run = positions(ofKeyPrefix: query, mode)
    guard !run.isEmpty else { return }
    matches.append(run)
    if mode == .plain { prefetchRows(run) }
    let (first, last) = (key(run.lowerBound, mode), key(run.upperBound &- 1, mode))
    let shared = first.sharedText(with: last)
    // Up to the end of its name, a key equals its title.
    guard !shared.hasSeparator else { return setCommon(Scope(mode: mode, country: nil), &matches) }
    let bytes = first.bytes(min(shared.count, CityRule.maximumKeyBytes))
    // The first key may end its name where the last has a comma: then both titles continue with a comma.
    guard first[shared.count] != keySeparator || last[shared.count] != comma else {
      return setCommon(Scope(mode: mode, country: nil), &matches)
    }
    matches.sharedKey = UnsafeRawBufferPointer(rebasing: bytes[..<wholeScalars(bytes)])
  }

  /// Finds the cities for a query with commas, or in one country: several runs, or parts of one.
  @inline(never)
  private func searchRuns(_ query: UnsafeRawBufferPointer, _ scope: Scope, into matches: inout CityMatches) {
    matches.begin(scope.order)
    appendRuns(ofTitlePrefix: query, scope, &matches.scratch, to: &matches.runs)
    for run in matches.runs { matches.total += run.count }
    guard let run = matches.runs.first else { return }
    if matches.order == .plain {
      if matches.runs.count == 1 { matches.ranks = run }
      prefetchRows(run)
    }
    setCommon(scope, &matches)
  }

  /// Prefetches the rows and names of `hits` at once: otherwise writing each would wait for memory in turn.
  package func prefetch(_ hits: PlaceHits) {
    for place in 0..<hits.count {
      let hit = hits[place]
      prefetchRow(hit.rank)
      localities.prefetch(ofRank: hit.rank)
      if !hit.isTitle { names?.prefetchText(of: hit.entry) }
    }
  }

  /// Prefetches the row of the city at `rank`.
  @inline(__always)
  func prefetchRow(_ rank: Int) {
    let start = rowOffsets[rank]
    guard let base = rows.baseAddress, start < rows.count else { return }
    cities_prefetch_bytes(base + start, Self.usualRowBytes)
  }

  /// Prefetches the first rows of `run` while their common prefix is determined: most queries need other rows than the
  /// query before.
  @inline(__always)
  private func prefetchRows(_ run: Range<Int>) {
    let start = rowOffsets[run.lowerBound]
    guard let base = rows.baseAddress, start &+ Self.prefetchedBytes <= rows.count else { return }
    cities_prefetch_bytes(base + start, Self.prefetchedBytes)
  }

  /// Nearly all rows are shorter; most are longer than the rest of the cache line in which they start.
  private static let usualRowBytes = 128
  /// Bytes to prefetch: about 20 rows, as many as most queries return.
  private static let prefetchedBytes = 1_280

  /// The scope of a look-up: an order, or a country's part of it.
  struct Scope {
    let mode: CityMatchMode
    let country: Range<Int>?

    var order: CityOrder {
      switch (mode, country) {
      case (.plain, nil): .plain
      case (.folded, nil): .folded
      case (.plain, .some): .countryPlain
      case (.folded, .some): .countryFolded
      }
    }
  }

  /// Appends the runs of all titles that start with `query`, in key order.
  func appendRuns(
    ofTitlePrefix query: UnsafeRawBufferPointer, _ scope: Scope, _ scratch: inout [UInt8], to runs: inout RunList
  ) {
    guard canMatch(query, scope.mode) else { return }
    if query.contains(comma) {
      forEachNameEnd(in: query) { name, country in
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: name)
        scratch.append(keySeparator)
        scratch.append(contentsOf: country)
        let start = country.isEmpty && countries.hasNameless ? endOfNameless(scope.mode, &scratch) : 0
        scratch.withUnsafeBytes { appendRun(ofKeyPrefix: $0, scope, from: start, to: &runs) }
      }
    }
    appendRun(ofKeyPrefix: query, scope, to: &runs)
  }

  /// Whether `query` is short enough and contains no separator bytes.
  func canMatch(_ query: UnsafeRawBufferPointer, _ mode: CityMatchMode) -> Bool {
    query.count <= longestTitle(mode) && query.allSatisfy { $0 > keySeparator }
  }

  /// Calls `body` for every comma that can end the name, followed by a space or nothing; `country` is the rest.
  func forEachNameEnd(
    in title: UnsafeRawBufferPointer,
    _ body: (_ name: UnsafeRawBufferPointer, _ country: UnsafeRawBufferPointer) -> Void
  ) {
    for end in 0..<title.count where title[end] == comma {
      let rest = end + 1
      guard rest == title.count || title[rest] == UInt8(ascii: " ") else { continue }
      body(
        UnsafeRawBufferPointer(rebasing: title[..<end]),
        UnsafeRawBufferPointer(rebasing: title[min(rest + 1, title.count)...]))
    }
  }

  /// The position after the cities without a country whose name is `name`, which ends with the separator.
  ///
  /// Their title is the name alone, without a comma. They come first among the cities of that name.
  private func endOfNameless(_ mode: CityMatchMode, _ name: inout [UInt8]) -> Int {
    name.append(0)
    defer { name.removeLast() }
    return name.withUnsafeBytes { positions(ofKeyPrefix: $0, mode).upperBound }
  }

  @inline(__always)
  private func positions(ofKeyPrefix prefix: UnsafeRawBufferPointer, _ mode: CityMatchMode) -> Range<Int> {
    switch mode {
    case .plain: plainTrie.range(of: prefix, in: plain)
    case .folded: baseTrie.range(of: prefix, in: base)
    }
  }

  /// Appends the run of all keys that start with `prefix`, from position `start` on, if there is any.
  func appendRun(
    ofKeyPrefix prefix: UnsafeRawBufferPointer, _ scope: Scope, from start: Int = 0, to runs: inout RunList
  ) {
    var run = positions(ofKeyPrefix: prefix, scope.mode)
    run = min(max(run.lowerBound, start), run.upperBound)..<run.upperBound
    if let list = scope.country {
      let column = scope.mode == .plain ? countries.ranks : countries.positions
      let start = column.lowerBound(of: run.lowerBound, in: list)
      run = start..<column.lowerBound(of: run.upperBound, in: start..<list.upperBound)
    }
    // Runs ascend and never overlap; clamping keeps the total at most the number of cities even in a corrupt file.
    if let last = runs.last { run = run.clamped(to: last.upperBound..<max(last.upperBound, run.upperBound)) }
    if !run.isEmpty { runs.append(run) }
  }

  /// The rank at a position of an order.
  func rank(_ position: Int, _ order: CityOrder) -> Int {
    switch order {
    case .plain: position
    case .folded: base.order[position]
    case .countryPlain: countries.ranks[position]
    case .countryFolded: base.order[countries.positions[position]]
    }
  }

  /// The key at a position in the order of a mode.
  @inline(__always)
  private func key(_ position: Int, _ mode: CityMatchMode) -> ArenaText {
    mode == .plain ? plain.key(at: position) : base.key(at: position)
  }

  /// The key that the order compares, at a position in it.
  func key(_ position: Int, _ order: CityOrder) -> ArenaText {
    let rank = rank(position, order)
    switch order {
    case .plain, .countryPlain: return plain.key(at: rank)
    case .folded, .countryFolded: return base.key(of: rank)
    }
  }
}

extension CityIndex {
  /// Determines the common prefix of all matches of a query.
  ///
  /// All keys of a run share what its first and last key share. The titles of those two may share more, and then the
  /// others need not: if the first ends its name where the last has a comma, both continue with ", ". Only then, and
  /// with several runs, an upper bound is tested and shortened until all matches share it.
  @inline(never)
  func setCommon(_ scope: Scope, _ matches: inout CityMatches) {
    guard let run = matches.runs.first else { return }
    let first = key(run.lowerBound, matches.order)
    let last = key(run.upperBound - 1, matches.order)
    let shared = first.commonPrefix(with: last)
    let isCertain = matches.runs.count == 1 && !(first[shared] == keySeparator && last[shared] == comma)
    guard isCertain else { return tryCommon(first, scope, &matches) }
    let bytes = first.bytes(min(shared, CityRule.maximumKeyBytes))
    // Up to the end of its name, a key equals its title.
    guard bytes.contains(keySeparator) else {
      matches.sharedKey = UnsafeRawBufferPointer(rebasing: bytes[..<wholeScalars(bytes)])
      return
    }
    // If keys share only a name, the first may end there: a city without a country.
    matches.title.append(title: bytes, endsKey: first[shared] == 0)
    matches.title.cutAtScalar()
  }

  /// Bounds the common prefix from above by the first and last title of every run, then counts the titles that have it.
  private func tryCommon(_ first: ArenaText, _ scope: Scope, _ matches: inout CityMatches) {
    matches.title.append(title: first.bytes(min(first.count, CityRule.maximumKeyBytes)), endsKey: true)
    for run in matches.runs {
      matches.title.shorten(toPrefixOf: key(run.lowerBound, matches.order))
      matches.title.shorten(toPrefixOf: key(run.upperBound - 1, matches.order))
    }
    let bound = matches.title.count
    if countSharing(bound, scope, &matches) != matches.total {
      // All prefixes of a common prefix are common, too: bisection finds the longest.
      let tooLong = partitionPoint(0..<bound) { countSharing($0, scope, &matches) == matches.total }
      matches.title.removeLast(bound - max(tooLong - 1, 0))
    }
    matches.title.cutAtScalar()
  }

  /// The number of titles that start with the first `bytes` bytes of the assumed common prefix.
  private func countSharing(_ bytes: Int, _ scope: Scope, _ matches: inout CityMatches) -> Int {
    matches.probe.removeAll()
    matches.title.withUnsafeBytes {
      let prefix = UnsafeRawBufferPointer(rebasing: $0[..<bytes])
      appendRuns(ofTitlePrefix: prefix, scope, &matches.scratch, to: &matches.probe)
    }
    return matches.probe.reduce(0) { $0 + $1.count }
  }
}

extension Array<UInt8> {
  /// Appends the title for the first bytes of a key; for a whole key without a country, the title has no comma.
  fileprivate mutating func append(title bytes: UnsafeRawBufferPointer, endsKey: Bool) {
    guard let end = bytes.firstIndex(of: keySeparator) else { return append(contentsOf: bytes) }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    if endsKey, end + 1 == bytes.count { return }
    append(comma)
    append(UInt8(ascii: " "))
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
  }

  /// Shortens the text to its common prefix with the title of `key`.
  fileprivate mutating func shorten(toPrefixOf key: ArenaText) {
    var (mine, theirs) = (0, 0)
    while mine < count, key[theirs] != 0 {
      if key[theirs] != keySeparator {
        guard self[mine] == key[theirs] else { break }
      } else {
        guard key[theirs + 1] != 0, self[mine] == comma else { break }
        mine += 1
        guard mine < count, self[mine] == UInt8(ascii: " ") else { break }
      }
      mine += 1
      theirs += 1
    }
    removeLast(count - mine)
  }

  /// Removes an incomplete code point at the end.
  fileprivate mutating func cutAtScalar() { removeLast(count - withUnsafeBytes(wholeScalars)) }
}

/// The number of bytes in complete code points.
@inline(__always)
private func wholeScalars(_ bytes: UnsafeRawBufferPointer) -> Int {
  // A prefix of a text that ends with ASCII is complete.
  guard let last = bytes.last, last >= 0x80 else { return bytes.count }
  return wholeScalarsOfText(bytes)
}

private func wholeScalarsOfText(_ bytes: UnsafeRawBufferPointer) -> Int {
  var start = bytes.count
  while start > 0, bytes[start - 1] & 0xC0 == 0x80 { start -= 1 }
  guard start > 0, bytes[start - 1] >= 0xC0 else { return bytes.count }
  let size = bytes[start - 1] >= 0xF0 ? 4 : bytes[start - 1] >= 0xE0 ? 3 : 2
  return bytes.count - (start - 1) < size ? start - 1 : bytes.count
}

/// The cities that a query found, in its order; reused between queries to keep its memory.
public struct CityMatches {
  /// The exact number of matches.
  public internal(set) var total = 0
  /// Whether a title was looked up and only the names of the matches are equal to it.
  public internal(set) var areByName = false
  /// The ranks of all matches if they are one range in key order, or else empty.
  public internal(set) var ranks = 0..<0

  /// The order to which the positions in `runs` refer.
  var order = CityOrder.plain
  /// The matches: ranges of positions, ascending, none empty.
  var runs = RunList()
  /// Scratch memory for a key.
  var scratch: [UInt8] = []
  /// Scratch memory for runs that are only counted.
  var probe = RunList()
  /// The common prefix of the matches, in place in the index; if it is empty, `title` has it.
  var sharedKey = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The common prefix of the matches, if it is not part of a key.
  var title: [UInt8] = []

  /// Creates an empty instance.
  public init() {}

  /// The longest common prefix of all matches' folded titles in UTF-8, cut at a code point; empty if nothing matches.
  public var common: [UInt8] { withCommon { [UInt8]($0) } }

  /// Calls `body` with ``common`` without copying it; the queried index must still exist.
  public func withCommon<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    sharedKey.isEmpty ? title.withUnsafeBytes(body) : body(sharedKey)
  }

  /// The number of rows on a page: `limit`, or fewer at the end.
  ///
  /// Negative arguments count as 0.
  @inlinable
  public func rows(offset: Int, limit: Int) -> Int { min(max(limit, 0), max(total &- max(offset, 0), 0)) }

  /// The page as a range of matches.
  func page(offset: Int, limit: Int) -> Range<Int> {
    let start = min(max(offset, 0), total)
    return start..<(start + min(max(limit, 0), total - start))
  }

  @inline(__always)
  mutating func begin(_ order: CityOrder) {
    self.order = order
    total = 0
    ranks = 0..<0
    runs.removeAll()
    if !title.isEmpty { title.removeLast(title.count) }
    sharedKey = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Sets the only run.
  @inline(__always)
  mutating func append(_ run: Range<Int>) {
    runs.append(run)
    total = run.count
    if order == .plain { ranks = run }
  }

  /// Calls `body` with the parts of the runs that correspond to `page`.
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

/// An order of the cities.
enum CityOrder: Int {
  /// By key: positions are ranks.
  case plain
  /// By base key, then key.
  case folded
  /// By country, then key: positions in the list of ranks.
  case countryPlain
  /// By country, then base key, then key: positions in the list of folded positions.
  case countryFolded
}

/// Ascending ranges of positions: the first, often the only one, needs no allocation.
struct RunList: RandomAccessCollection {
  private var first = 0..<0
  private var rest: [Range<Int>] = []
  /// Ranges in all.
  private(set) var count = 0

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(index: Int) -> Range<Int> { index == 0 ? first : rest[index - 1] }

  mutating func append(_ run: Range<Int>) {
    if count == 0 { first = run } else { rest.append(run) }
    count += 1
  }

  /// Removes all ranges and keeps the memory.
  mutating func removeAll() {
    count = 0
    if !rest.isEmpty { rest.removeAll(keepingCapacity: true) }
  }
}
