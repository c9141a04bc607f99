import Cities
import TestSupport

/// Seeded cities whose names share prefixes, repeat, hold commas and accents, and lie on top of each other.
enum MadeUpCities {
  private static let syllables = [
    "a", "an", "San ", "São ", ", ", ",", "b", "B", "ł", "é", "e\u{301}", "ß", "!", "日", "本", "𝒜", "İ", "Σ", "o", "or",
  ]
  private static let countries = ["US", "us", "EE", "É", "e", "a, b", "ß", ""]

  static func make(_ count: Int, seed: UInt64) -> [City] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      City(
        id: UInt64(number) * 7 % 1009 + 1 + (number % 11 == 0 ? 1 << 40 : 0), name: name(&random),
        country: countries.randomElement(using: &random) ?? "US", latitude: coordinate(90, &random),
        longitude: coordinate(180, &random),
        population: Bool.random(using: &random) ? UInt64.random(in: 0..<5, using: &random) : nil)
    }
  }

  private static func name(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in syllables.randomElement(using: &random) ?? "" }.joined()
  }

  /// Whole degrees collide often; the bound itself is a pole or the date line.
  private static func coordinate(_ bound: Int, _ random: inout SeededGenerator) -> Double {
    let whole = [Int.random(in: -bound...bound, using: &random), bound, -bound, 0, 1]
    return Double(whole.randomElement(using: &random) ?? 0)
  }
}
