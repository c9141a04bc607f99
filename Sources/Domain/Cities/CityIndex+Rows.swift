import Base

extension CityIndex {
  /// Hands out the rows of a page of `matches` in as few slices as possible: neighbours in the file are one slice, so a
  /// page in key order is one slice a run.
  ///
  /// The number of rows is ``CityMatches/rows(offset:limit:)``.
  ///
  /// - Complexity: O(1) a slice.
  public func withRows(
    _ matches: CityMatches, offset: Int, limit: Int, _ append: (UnsafeRawBufferPointer) -> Void
  ) {
    let page = matches.page(offset: offset, limit: limit)
    // What most questions are: in key order, and their matches one run.
    if matches.order == .plain, matches.runs.count == 1, !page.isEmpty {
      let first = matches.runs[0].lowerBound &+ page.lowerBound
      return append(rows(in: first..<(first &+ page.count)))
    }
    var pending = 0..<0
    matches.forEachPart(of: page) { part in
      if matches.order == .plain { return append(rows(in: part)) }
      for position in part { deliver(rank(position, matches.order), &pending, append) }
    }
    flush(pending, append)
  }

  /// Hands out the rows of a page of `matches` by population: most inhabitants first, unknown last, then by key.
  ///
  /// For more than a few thousand matches ``PopulationPage`` finds the same page in steps.
  ///
  /// - Complexity: O(m + l log l) on average for m matches and a limit of l.
  public func withRowsByPopulation(
    _ matches: inout CityMatches, offset: Int, limit: Int, _ append: (UnsafeRawBufferPointer) -> Void
  ) {
    let page = matches.page(offset: offset, limit: limit)
    guard !page.isEmpty else { return }
    let selected = selectByPopulation(page, &matches)
    withRows(
      ranks: selected.lazy.map { [matches] in rank(Int(matches.selection[$0] & 0xFFFF_FFFF), matches.order) }, append)
  }

  /// Hands out the rows at `ranks`, neighbours in the file together.
  func withRows(ranks: some Sequence<Int>, _ append: (UnsafeRawBufferPointer) -> Void) {
    var pending = 0..<0
    for rank in ranks { deliver(rank, &pending, append) }
    flush(pending, append)
  }

  /// The rank of the match at `index`, from 0 to the total.
  public func rank(of matches: CityMatches, at index: Int) -> Int? {
    matches.position(at: index).map { rank($0, matches.order) }
  }

  /// Sorts the page, and only the page, into its place in `selection`: fewer inhabitants above, position below.
  private func selectByPopulation(_ page: Range<Int>, _ matches: inout CityMatches) -> Range<Int> {
    matches.selection.removeAll(keepingCapacity: true)
    for run in matches.runs {
      for position in run {
        let fewness = UInt64(UInt32.max) - UInt64(populations[rank(position, matches.order)])
        matches.selection.append(fewness << 32 | UInt64(position))
      }
    }
    matches.selection.withUnsafeMutableBufferPointer { all in
      all.select(page.lowerBound, by: <)
      let tail = UnsafeMutableBufferPointer(rebasing: all[page.lowerBound...])
      tail.select(page.count, by: <)
      var rows = UnsafeMutableBufferPointer(rebasing: tail[..<page.count])
      rows.sort()
    }
    return page
  }

  /// Joins a row to the pending ones if it follows them in the file, else hands those out.
  private func deliver(_ rank: Int, _ pending: inout Range<Int>, _ append: (UnsafeRawBufferPointer) -> Void) {
    if rank == pending.upperBound, !pending.isEmpty {
      pending = pending.lowerBound..<(rank + 1)
    } else {
      flush(pending, append)
      pending = rank..<(rank + 1)
    }
  }

  private func flush(_ pending: Range<Int>, _ append: (UnsafeRawBufferPointer) -> Void) {
    if !pending.isEmpty { append(rows(in: pending)) }
  }
}
