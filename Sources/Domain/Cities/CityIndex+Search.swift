import Base
import CPrefetch

extension CityIndex {
  /// Finds the cities whose title begins with `query`, which is folded by `mode` already (`country` by `.plain`).
  ///
  /// A title is `name, country`. A query with k commas is answered by at most k + 1 ranges: for every comma that can end a
  /// name, the cities named exactly as what stands before it, their country by the rest; then the cities whose name begins
  /// with the whole query. In keys the end of a name is byte 01, below the comma, so the ranges ascend in that order.
  ///
  /// `country` is a whole folded code. Queries that contain the bytes 00 or 01, or are longer than any key, match nothing.
  ///
  /// - Complexity: O(m · (k + 1)) in the bytes and commas of `query`, and O(log n) with a country; no allocation once
  ///   `matches` has grown.
  public func search(
    _ query: UnsafeRawBufferPointer, mode: CityMatchMode, country: UnsafeRawBufferPointer? = nil,
    into matches: inout CityMatches
  ) {
    let scope = Scope(mode: mode, country: country.map(countries.list))
    matches.begin(scope.order)
    appendRuns(ofTitlePrefix: query, scope, &matches.scratch, to: &matches.runs)
    for run in matches.runs { matches.total += run.count }
    guard let run = matches.runs.first else { return }
    if matches.order == .plain { prefetchRows(run) }
    setCommon(scope, &matches)
  }

  /// Has the first rows of `run` fetched while what they have in common is looked for: most questions touch other rows than
  /// the question before.
  private func prefetchRows(_ run: Range<Int>) {
    let start = rowOffsets[run.lowerBound]
    guard let base = rows.baseAddress, start + Self.prefetchedBytes <= rows.count else { return }
    for line in stride(from: 0, to: Self.prefetchedBytes, by: Self.cacheLine) { cities_prefetch(base + start + line) }
  }

  /// Bytes of a cache line.
  private static let cacheLine = 64
  /// Bytes that are asked for: about 20 rows, which is what most questions want.
  private static let prefetchedBytes = 1_280

  /// What a query is looked up in: an order, or a country's part of it.
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

  /// Appends the runs of all titles that begin with `query`, in key order.
  func appendRuns(
    ofTitlePrefix query: UnsafeRawBufferPointer, _ scope: Scope, _ scratch: inout [UInt8], to runs: inout RunList
  ) {
    guard canMatch(query, scope.mode) else { return }
    if query.contains(UInt8(ascii: ",")) {
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

  /// Whether a text without the bytes that separate keys, and short enough, was asked for.
  func canMatch(_ query: UnsafeRawBufferPointer, _ mode: CityMatchMode) -> Bool {
    query.count <= longestTitle(mode) && query.allSatisfy { $0 > keySeparator }
  }

  /// Calls `body` for every comma at which the name may end and ", " begin; `country` is what follows both.
  func forEachNameEnd(
    in title: UnsafeRawBufferPointer,
    _ body: (_ name: UnsafeRawBufferPointer, _ country: UnsafeRawBufferPointer) -> Void
  ) {
    for comma in 0..<title.count where title[comma] == UInt8(ascii: ",") {
      let rest = comma + 1
      guard rest == title.count || title[rest] == UInt8(ascii: " ") else { continue }
      body(
        UnsafeRawBufferPointer(rebasing: title[..<comma]),
        UnsafeRawBufferPointer(rebasing: title[min(rest + 1, title.count)...]))
    }
  }

  /// The position after the cities without a country that have a name, which ends with the separator.
  ///
  /// Their title ends with their name, so no comma follows it. They come first among the cities of that name.
  private func endOfNameless(_ mode: CityMatchMode, _ name: inout [UInt8]) -> Int {
    name.append(0)
    defer { name.removeLast() }
    return name.withUnsafeBytes { positions(ofKeyPrefix: $0, mode).upperBound }
  }

  private func positions(ofKeyPrefix prefix: UnsafeRawBufferPointer, _ mode: CityMatchMode) -> Range<Int> {
    switch mode {
    case .plain: plainTrie.range(of: prefix, in: plain)
    case .folded: baseTrie.range(of: prefix, in: base)
    }
  }

  /// Appends the run of all keys that begin with `prefix`, at `start` or later in the order, if there is any.
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
    // Runs ascend and never meet; saying so keeps the total below the number of cities in a damaged file as well.
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

  /// The key, as the order compares it, at a position of the order.
  func key(_ position: Int, _ order: CityOrder) -> ArenaText {
    let rank = rank(position, order)
    switch order {
    case .plain, .countryPlain: return plain.key(at: rank)
    case .folded, .countryFolded: return base.key(of: rank)
    }
  }
}
