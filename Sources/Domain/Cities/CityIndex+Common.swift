import Base

extension CityIndex {
  /// Sets what all matches of a query have in common.
  ///
  /// What the first and the last key of a run share, all keys between them share. As titles those two may share more, and
  /// then it is open whether the others do: if the first ends its name where the last has a comma, both go on with ", ".
  /// Only there, and where there are several runs, the bound is tried and shortened until all matches have it.
  func setCommon(_ scope: Scope, _ matches: inout CityMatches) {
    guard let run = matches.runs.first else { return }
    let first = key(run.lowerBound, matches.order)
    let last = key(run.upperBound - 1, matches.order)
    let shared = first.commonPrefix(with: last)
    let isCertain = matches.runs.count == 1 && !(first[shared] == keySeparator && last[shared] == UInt8(ascii: ","))
    guard isCertain else { return tryCommon(first, scope, &matches) }
    let bytes = first.bytes(min(shared, CityRule.maximumKeyBytes))
    // A key is a title as far as its name goes.
    guard bytes.contains(keySeparator) else {
      matches.sharedKey = UnsafeRawBufferPointer(rebasing: bytes[..<wholeScalars(bytes)])
      return
    }
    // The first of several keys that share no more than a name may end there, as that of a city without a country.
    matches.title.append(title: bytes, endsKey: first[shared] == 0)
    matches.title.cutAtScalar()
  }

  /// Bounds what is common from above by the first and the last title of every run, then counts who has it.
  private func tryCommon(_ first: ArenaText, _ scope: Scope, _ matches: inout CityMatches) {
    matches.title.append(title: first.bytes(min(first.count, CityRule.maximumKeyBytes)), endsKey: true)
    for run in matches.runs {
      matches.title.shorten(toPrefixOf: key(run.lowerBound, matches.order))
      matches.title.shorten(toPrefixOf: key(run.upperBound - 1, matches.order))
    }
    let bound = matches.title.count
    if countSharing(bound, scope, &matches) != matches.total {
      // What a title begins with, all its prefixes are common, too: the longest is found by halving.
      let tooLong = partitionPoint(0..<bound) { countSharing($0, scope, &matches) == matches.total }
      matches.title.removeLast(bound - max(tooLong - 1, 0))
    }
    matches.title.cutAtScalar()
  }

  /// How many titles begin with the first `bytes` of what is taken for common.
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
  /// Appends the title that the first bytes of a key stand for; a whole key without a country has no comma in its title.
  fileprivate mutating func append(title bytes: UnsafeRawBufferPointer, endsKey: Bool) {
    guard let end = bytes.firstIndex(of: keySeparator) else { return append(contentsOf: bytes) }
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    if endsKey, end + 1 == bytes.count { return }
    append(UInt8(ascii: ","))
    append(UInt8(ascii: " "))
    append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
  }

  /// Keeps what the title of `key` begins with, too.
  fileprivate mutating func shorten(toPrefixOf key: ArenaText) {
    var (mine, theirs) = (0, 0)
    while mine < count, key[theirs] != 0 {
      if key[theirs] != keySeparator {
        guard self[mine] == key[theirs] else { break }
      } else {
        guard key[theirs + 1] != 0, self[mine] == UInt8(ascii: ",") else { break }
        mine += 1
        guard mine < count, self[mine] == UInt8(ascii: " ") else { break }
      }
      mine += 1
      theirs += 1
    }
    removeLast(count - mine)
  }

  /// Removes the beginning of a code point whose end is missing.
  fileprivate mutating func cutAtScalar() { removeLast(count - withUnsafeBytes(wholeScalars)) }
}

/// How many of the first bytes are whole code points.
private func wholeScalars(_ bytes: UnsafeRawBufferPointer) -> Int {
  // The beginning of a text is whole where it ends with ASCII.
  guard let last = bytes.last, last >= 0x80 else { return bytes.count }
  var start = bytes.count
  while start > 0, bytes[start - 1] & 0xC0 == 0x80 { start -= 1 }
  guard start > 0, bytes[start - 1] >= 0xC0 else { return bytes.count }
  let size = bytes[start - 1] >= 0xF0 ? 4 : bytes[start - 1] >= 0xE0 ? 3 : 2
  return bytes.count - (start - 1) < size ? start - 1 : bytes.count
}
