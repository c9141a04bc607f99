/// A bar of a round length with that length beside it.
struct ScaleBar {
  /// The ground that it covers, in metres.
  let metres: Double
  /// Its length in dots.
  let dots: Double

  /// The bar for a view: at most a quarter of the picture, but room for its ends.
  init(_ view: Viewport) {
    metres = RoundNumbers.greatest(upTo: view.metresPerDot * max(6, Double(view.size.dotColumns) / 4))
    dots = metres / view.metresPerDot
  }

  /// `50 km`, `200 m`.
  var length: String { metres >= 1_000 ? "\(Int(metres / 1_000)) km" : "\(fixed(metres, decimals: 0)) m" }

  /// The bar, in whole cells, and its length.
  func text(_ characters: MapCharacters) -> String {
    let inner = max(0, Int((dots / 2).rounded()) - 2)
    switch characters {
    case .braille: return "├" + String(repeating: "─", count: inner) + "┤ " + length
    case .ascii: return "|" + String(repeating: "-", count: inner) + "| " + length
    }
  }
}
