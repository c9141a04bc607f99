internal import CitiesProtocol

/// A link of OpenStreetMap, Google Maps, Apple Maps, Bing Maps or plus.codes, as a browser shows it.
enum MapLink {
  /// Whether `text` is a link of any kind.
  static func isLink(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return ["https://", "http://", "www."].contains { start.hasPrefix($0) }
  }

  /// The position of the marker in `link`, or else of its view.
  ///
  /// - Throws: `ValidationError` if it has none, or is that of another map, which may have another order.
  static func position(_ link: String) throws -> Position {
    let parts = link.lowercased().split { "/?#".contains($0) }
    let host = parts.first { !["https:", "http:"].contains($0) } ?? ""
    guard ["openstreetmap.org", "google.", "apple.com", "bing.com", "plus.codes"].contains(where: host.holds) else {
      throw ValidationError("not a link of OpenStreetMap, Google, Apple or Bing: '\(host)'; write LAT,LON in degrees")
    }
    if parts.contains(where: { ["dir", "directions"].contains($0) }) {
      throw ValidationError("the link is that of a route, which has several positions; write LAT,LON in degrees")
    }
    guard let position = try position(in: link[...]) else {
      throw ValidationError("the link has no position; open it and copy the address of the map, or write LAT,LON")
    }
    return position
  }

  /// The position in the path, the query or the fragment of a link; `nil` if there is none.
  static func position(in link: Substring) throws -> Position? {
    let fields = link.split { "/?&#".contains($0) }.map { PositionText.plain(percentDecoded($0) ?? "") }
    func value(_ key: String) -> Substring? {
      fields.first { $0.hasPrefix(key + "=") }?.dropFirst(key.utf8.count + 1)
    }
    // The marker of Google, which is more exact than the view.
    for field in fields {
      let parts = field.split(separator: "!")
      for (lat, lon) in zip(parts, parts.dropFirst()) where lat.hasPrefix("3d") && lon.hasPrefix("4d") {
        if let position = try numbers([lat.dropFirst(2), lon.dropFirst(2)]) { return position }
      }
    }
    for names in [("mlat", "mlon"), ("lat", "lon")] {
      if let lat = value(names.0), let lon = value(names.1) { return try numbers([lat, lon]) }
    }
    for key in ["q", "query", "coordinate", "ll", "center", "cp"] {
      guard let value = value(key)?.prefix(while: { !$0.is("(") }) else { continue }
      let text = String(value.hasPrefix("loc:") ? value.dropFirst(4) : value)
      let position = try key == "cp" ? numbers(text.split(separator: "~")) : PositionText.pair(text)
      if let position = try position ?? PlusCode.position(text) { return position }
    }
    for field in fields {
      if let position = try PositionText.pair(field) ?? PlusCode.position(field) { return position }
    }
    if let view = fields.first(where: { $0.hasPrefix("@") }) {
      return try numbers(view.dropFirst().split(separator: ","))
    }
    guard let index = fields.firstIndex(where: { $0.hasPrefix("map=") }) else { return nil }
    return try numbers(fields[(index + 1)...].map { $0[...] })
  }

  /// The position given by the first two of `texts`.
  private static func numbers(_ texts: [Substring]) throws -> Position? {
    guard texts.count > 1, let lat = PositionText.degrees(texts[0]), let lon = PositionText.degrees(texts[1]) else {
      return nil
    }
    return try PositionText.checked(lat, lon)
  }
}

extension Substring {
  fileprivate func holds(_ text: String) -> Bool { utf8.firstRange(of: text.utf8) != nil }
}
