extension CityIndex {
  /// Sets what all matches of a query of `query` bytes have in common.
  ///
  /// The first and the last title of every run bound it from above. Within a run of keys they bound it from below as well,
  /// except where the first ends its name and the last has a comma in the same place: as titles both go on with ", ",
  /// while a city between them may not. Only there the bound is tried, and shortened until all matches have it.
  func setCommon(query: Int, _ scope: Scope, _ matches: inout CityMatches) {
    guard let first = matches.runs.first, let last = matches.runs.last else { return }
    matches.common.append(title: key(first.lowerBound, matches.order))
    for run in matches.runs {
      matches.common.shorten(toPrefixOf: key(run.lowerBound, matches.order))
      matches.common.shorten(toPrefixOf: key(run.upperBound - 1, matches.order))
    }
    var certain = query
    if matches.runs.count == 1 {
      let keys = (key(first.lowerBound, matches.order), key(last.upperBound - 1, matches.order))
      certain = titleBytes(of: keys.0, keyBytes: keys.0.commonPrefix(with: keys.1))
    }
    matches.common.cutAtScalar()
    while matches.common.count > certain, countOfCommon(scope, &matches) != matches.total {
      matches.common.removeLast()
      matches.common.cutAtScalar()
    }
  }

  /// How many titles begin with what is taken for common.
  private func countOfCommon(_ scope: Scope, _ matches: inout CityMatches) -> Int {
    matches.probe.removeAll(keepingCapacity: true)
    matches.common.withUnsafeBytes { appendRuns(ofTitlePrefix: $0, scope, &matches.scratch, to: &matches.probe) }
    return matches.probe.reduce(0) { $0 + $1.count }
  }

  /// How many bytes of the title the first bytes of a key are.
  private func titleBytes(of key: ZeroTerminated, keyBytes: Int) -> Int {
    (0..<keyBytes).reduce(0) { $0 + (key[$1] == keySeparator ? 2 : 1) }
  }
}

extension Array<UInt8> {
  /// Appends the title that a key stands for.
  fileprivate mutating func append(title key: ZeroTerminated) {
    var index = 0
    while key[index] != 0 {
      if key[index] == keySeparator {
        append(UInt8(ascii: ","))
        append(UInt8(ascii: " "))
      } else {
        append(key[index])
      }
      index += 1
    }
  }

  /// Keeps what the title of `key` begins with, too.
  fileprivate mutating func shorten(toPrefixOf key: ZeroTerminated) {
    var (mine, theirs) = (0, 0)
    while mine < count, key[theirs] != 0 {
      if key[theirs] != keySeparator {
        guard self[mine] == key[theirs] else { break }
      } else {
        guard self[mine] == UInt8(ascii: ",") else { break }
        mine += 1
        guard mine < count, self[mine] == UInt8(ascii: " ") else { break }
      }
      mine += 1
      theirs += 1
    }
    removeLast(count - mine)
  }

  /// Removes the beginning of a code point whose end is missing.
  fileprivate mutating func cutAtScalar() {
    var start = count
    while start > 0, self[start - 1] & 0xC0 == 0x80 { start -= 1 }
    guard start > 0, self[start - 1] >= 0xC0 else { return }
    let bytes = self[start - 1] >= 0xF0 ? 4 : self[start - 1] >= 0xE0 ? 3 : 2
    if count - (start - 1) < bytes { removeLast(count - (start - 1)) }
  }
}
