extension CityIndex {
  /// Finds the cities with a title.
  ///
  /// It is compared in four tiers, and the first with a match decides: the whole title as written (case folded), the
  /// name alone, then both by base letters. The whole title of a city without a country is its name.
  ///
  /// `plain` and `base` are the title in both foldings. The candidates are in the order of the deciding tier.
  ///
  /// - Complexity: O(m · (k + 1)) in the bytes and commas of the title.
  public func cities(
    titled plain: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer, into matches: inout CityMatches
  ) {
    for tier in Self.titleTiers {
      findCities(titled: tier.mode == .plain ? plain : base, tier, into: &matches)
      if matches.total > 0 { return }
    }
  }

  /// The tiers in which titles are compared, and whether with names alone.
  static let titleTiers: [(mode: CityMatchMode, isByName: Bool)] = [
    (.plain, false), (.plain, true), (.folded, false), (.folded, true),
  ]

  /// Finds the cities with a title in one tier; `title` is in its folding.
  func findCities(
    titled title: UnsafeRawBufferPointer, _ tier: (mode: CityMatchMode, isByName: Bool), into matches: inout CityMatches
  ) {
    let scope = Scope(mode: tier.mode, country: nil)
    matches.begin(scope.order)
    matches.areByName = tier.isByName
    guard canMatch(title, tier.mode), !title.isEmpty else { return }
    if tier.isByName { appendNamesakes(title, nil, scope, &matches) } else { appendTitles(title, scope, &matches) }
    matches.total = matches.runs.reduce(0) { $0 + $1.count }
  }

  /// Appends the cities with the whole title.
  ///
  /// The title of a city without a country is its name, without a comma. Its key is the last of all keys with the whole
  /// title: the others have the separator where it has a comma.
  private func appendTitles(_ title: UnsafeRawBufferPointer, _ scope: Scope, _ matches: inout CityMatches) {
    forEachNameEnd(in: title) { name, country in
      if !country.isEmpty { appendNamesakes(name, country, scope, &matches) }
    }
    appendNamesakes(title, UnsafeRawBufferPointer(start: nil, count: 0), scope, &matches)
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
}
