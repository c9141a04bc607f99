package import CitiesProtocol

/// Parses a place: a position in any notation that ``PositionText`` reads, or the id or a name of a city.
package enum PlaceArgument {
  /// The place in `word`, or with `takesZones` the time zone.
  ///
  /// - Throws: `ValidationError` for an invalid position, or an empty word.
  package static func parse(_ word: String, takesZones: Bool = false) throws -> Place {
    if takesZones, let zone = ZoneArgument.zone(word) { return Place(zone: zone) }
    guard !word.isEmpty else {
      throw ValidationError("a place is missing or empty: it is LAT,LON, a geo: URI, or the id or name of a city")
    }
    if let position = try position(word) { return Place(at: position) }
    if let id = cityID(word) { return Place(id: id) }
    return Place(query: word)
  }

  /// The position in several words, such as `59.437 24.7536` or `59.437N 24.7536E`; `nil` for other words, and for two
  /// integers, which may be ids.
  ///
  /// - Throws: `ValidationError` for degrees out of range.
  static func position(_ words: [String]) throws -> Position? {
    words.count > 1 ? try PositionText.pair(PositionText.plain(words.joined(separator: " "))) : nil
  }

  /// The id in `word`; `nil` unless it consists of digits.
  static func cityID(_ word: String) -> UInt64? {
    word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(word) : nil
  }

  /// The position in `word`; `nil` if it does not look like one.
  static func position(_ word: String) throws -> Position? { try PositionText.position(word) }
}

extension Place {
  /// The place, of which the most likely one will do if its name is that of several: the answer names it.
  package var acceptingLikely: Place {
    var place = self
    if query != nil { place.likely = true }
    return place
  }
}
