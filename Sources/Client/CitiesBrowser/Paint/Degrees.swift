import Base
internal import CBOR

/// A position for people: `59.437 N   24.754 E`, in columns of a fixed width.
enum Degrees {
  /// Cells that a position takes at most.
  static let width = 21

  /// Three places, some hundred metres: a list is for telling places apart, and digits are most of what a keystroke sends.
  static func text(lat: Double, lon: Double) -> String {
    "\(part(lat, "N", "S", digits: 2))  \(part(lon, "E", "W", digits: 3))"
  }

  /// All digits that are known.
  static func exactText(lat: Double, lon: Double) -> String {
    let (north, east) = (decimalText(lat.magnitude), decimalText(lon.magnitude))
    return "\(north) \(lat < 0 ? "S" : "N")  \(east) \(lon < 0 ? "W" : "E")"
  }

  private static func part(_ degrees: Double, _ positive: String, _ negative: String, digits: Int) -> String {
    let scaled = Int((min(degrees.magnitude, 999) * 1_000).rounded())
    let fraction = String(scaled % 1_000)
    let whole = String(scaled / 1_000)
    let padding = String(repeating: " ", count: max(0, digits - whole.count))
    let zeros = String(repeating: "0", count: 3 - fraction.count)
    return "\(padding)\(whole).\(zeros)\(fraction) \(degrees < 0 && scaled > 0 ? negative : positive)"
  }
}
