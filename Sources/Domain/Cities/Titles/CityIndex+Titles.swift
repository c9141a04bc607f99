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
  /// The title of a city without a country is its name, without a comma. Its key is the last of all keys with the whole
  /// title: the others have the separator where it has a comma.
  private func appendNamesakes(_ title: UnsafeRawBufferPointer, _ scope: Scope, _ matches: inout CityMatches) {
    forEachNameEnd(in: title) { name, country in
      if !country.isEmpty { appendNamesakes(name, country, scope, &matches) }
    }
    appendNamesakes(title, UnsafeRawBufferPointer(start: nil, count: 0), scope, &matches)
    matches.areByName = matches.runs.isEmpty
    if matches.areByName { appendNamesakes(title, nil, scope, &matches) }
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
