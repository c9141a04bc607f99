public import Geodesy

extension CityIndex {
  /// The largest distance between candidates for one place, in whole metres.
  public static let onePlaceMetres: UInt32 = 5_000
  /// More candidates than this are never one place unless all lie within half the distance of the first, so that a file
  /// full of namesakes cannot make a question quadratic.
  static let maximumPairwise = 256

  /// Finds the cities that a title names.
  ///
  /// It is compared in four tiers, and the first that finds anything decides: the whole title as written (case folded),
  /// the name alone, then both by base letters. The whole title of a city without a country is its name.
  ///
  /// `plain` and `base` are the title in both foldings. The candidates are in the order of the deciding tier.
  ///
  /// - Complexity: O(m · (k + 1)) in the bytes and commas of the title.
  public func cities(
    titled plain: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, into matches: inout CityMatches
  ) {
    for (title, mode) in [(plain, CityMatchMode.plain), (base, .folded)] {
      let scope = Scope(mode: mode, country: nil)
      matches.begin(scope.order)
      guard canMatch(title, mode), !title.isEmpty else { continue }
      appendNamesakes(title, scope, &matches)
      matches.total = matches.runs.reduce(0) { $0 + $1.count }
      if matches.total > 0 { return setCommon(scope, &matches) }
    }
  }

  /// Appends the cities with the whole title, or else those with that name.
  ///
  /// The title of a city without a country is its name, and no comma follows it. Of all keys with the whole title its key
  /// is the last one: in the others the separator stands where it has a comma.
  private func appendNamesakes(_ title: UnsafeRawBufferPointer, _ scope: Scope, _ matches: inout CityMatches) {
    forEachNameEnd(in: title) { name, country in
      if !country.isEmpty { appendNamesakes(name, country, scope, &matches) }
    }
    appendNamesakes(title, UnsafeRawBufferPointer(start: nil, count: 0), scope, &matches)
    if matches.runs.isEmpty { appendNamesakes(title, nil, scope, &matches) }
  }

  private func appendNamesakes(
    _ name: UnsafeRawBufferPointer, _ country: UnsafeRawBufferPointer?, _ scope: Scope,
    _ matches: inout CityMatches
  ) {
    matches.scratch.removeAll(keepingCapacity: true)
    matches.scratch.append(contentsOf: name)
    matches.scratch.append(keySeparator)
    if let country {
      matches.scratch.append(contentsOf: country)
      matches.scratch.append(0)
    }
    matches.scratch.withUnsafeBytes { appendRun(ofKeyPrefix: $0, scope, to: &matches.runs) }
  }

  /// The one place that all matches are, if they lie within ``onePlaceMetres`` of each other: the one with the lowest id.
  ///
  /// - Complexity: O(m) for m matches, and O(m²) for at most 256 that are neither clearly near nor clearly far.
  public func onePlace(_ matches: CityMatches) -> Int? {
    guard let first = rank(of: matches, at: 0) else { return nil }
    let origin = point(at: first)
    var (lowest, farthest) = (first, UInt32(0))
    forEachRank(matches) { rank in
      farthest = max(farthest, origin.metres(to: point(at: rank)))
      if id(at: rank) < id(at: lowest) { lowest = rank }
      return farthest <= Self.onePlaceMetres
    }
    guard farthest <= Self.onePlaceMetres else { return nil }
    // Two within half the distance of the first are within the distance of each other.
    if farthest <= Self.onePlaceMetres / 2 { return lowest }
    return matches.total <= Self.maximumPairwise && areAllNear(matches) ? lowest : nil
  }

  /// The match nearest to `place`, of equally near ones the first by key.
  ///
  /// - Complexity: O(m) for m matches.
  public func nearest(_ matches: CityMatches, to place: GeoPoint) -> Int? {
    var best: (metres: UInt32, rank: Int)?
    forEachRank(matches) { rank in
      let candidate = (metres: place.metres(to: point(at: rank)), rank: rank)
      if best.map({ candidate < $0 }) ?? true { best = candidate }
      return true
    }
    return best?.rank
  }

  private func areAllNear(_ matches: CityMatches) -> Bool {
    var areNear = true
    forEachRank(matches) { one in
      let origin = point(at: one)
      forEachRank(matches) { other in
        areNear = origin.metres(to: point(at: other)) <= Self.onePlaceMetres
        return areNear
      }
      return areNear
    }
    return areNear
  }

  /// Calls `body` with the rank of every match until it returns `false`.
  private func forEachRank(_ matches: CityMatches, _ body: (Int) -> Bool) {
    for run in matches.runs {
      for position in run where !body(rank(position, matches.order)) { return }
    }
  }
}
