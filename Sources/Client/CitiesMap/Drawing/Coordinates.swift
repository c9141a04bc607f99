internal import CitiesProtocol

/// Writes coordinates for people.
enum Coordinates {
  /// `59.437° N`, with as many decimals as `step` needs.
  static func latitude(_ lat: Double, step: Double, _ characters: MapCharacters) -> String {
    "\(degrees(lat, step: step, characters)) \(lat < 0 ? "S" : "N")"
  }

  /// `24.754° E`, with as many decimals as `step` needs.
  static func longitude(_ lon: Double, step: Double, _ characters: MapCharacters) -> String {
    "\(degrees(lon, step: step, characters)) \(lon < 0 ? "W" : "E")"
  }

  /// Both, latitude first.
  static func text(_ position: Position, step: Double, _ characters: MapCharacters) -> String {
    "\(latitude(position.lat, step: step, characters)) \(longitude(position.lon, step: step, characters))"
  }

  private static func degrees(_ number: Double, step: Double, _ characters: MapCharacters) -> String {
    var (decimals, unit) = (0, 1.0)
    while unit > step * 1.000_001, decimals < 6 { (decimals, unit) = (decimals + 1, unit / 10) }
    return fixed(abs(number), decimals: decimals) + (characters == .ascii ? "" : "°")
  }
}
