import Base
import TestSupport
import Text

@testable import Cities

/// Seeded cities whose names repeat, start alike, hold accents and name areas.
enum MadeUpPlaces {
  private static let syllables = [
    "a", "an", "San ", "ban", "ora", "-", "b", "Bo", "é", "ł", "日", "本", "뉴", "o'", "ana", "or", " ", " City",
  ]
  /// Some areas are called like cities.
  static let areas = AreaNames(
    countries: ["EE": ["Estonia", "Bo", "Lv", "xan"], "US": ["ana", "USA", "xora", "840"], "PR": ["xb", "island"]],
    regions: [
      "US.TX": ["Texas", "or ban", "xa"], "US.01": ["Bo", "01", "ana", "xan"], "EE.37": ["Harju", "日", "xana"],
    ],
    counties: [
      "US.TX.bo": ["Bo", "an", "xor"], "US.01.01": ["Harju", "or"], "EE.37.01": ["ana", "San"], "EE..bo": ["a"],
    ])
  /// Numbers of inhabitants on either side of each limit of the rule.
  private static let populations: [UInt64?] = [
    nil, nil, nil, 0, 700, 1_400, 2_100, 4_999, 5_000, 19_999, 20_000, 30_000, 99_999, 100_000, 1_000_000, 3_000_000,
  ]

  static func make(_ count: Int, seed: UInt64) -> [City] {
    var random = SeededGenerator(seed: seed)
    func name() -> String {
      let parts = (0..<Int.random(in: 1...5, using: &random)).map { _ in syllables.randomElement(using: &random) ?? "" }
      return "x" + parts.joined()
    }
    return (0..<count).map { number in
      let country = ["EE", "US", "LV", "PR", ""].randomElement(using: &random) ?? "EE"
      var city = City(
        id: UInt64(number + 1), name: name(), country: country,
        latitude: Double(Int.random(in: -3...3, using: &random)), longitude: Double(number % 5),
        population: populations.randomElement(using: &random) ?? nil)
      city.alternates = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Bool.random(using: &random)
          ? name() : ["XA", "XAN", "Xan", "xan", "Xán", "'"].randomElement(using: &random) ?? "XA"
      }
      for name in city.alternates where Bool.random(using: &random) {
        city.languages[TextKey(name)] = Int.random(in: 1...13, using: &random)
      }
      (city.regionCode, city.region) =
        [("TX", ""), ("01", ""), ("37", ""), ("", "ora"), ("", "")]
        .randomElement(using: &random) ?? ("", "")
      city.countyCode = ["", "bo", "01"].randomElement(using: &random) ?? ""
      city.zone = ["", "Europe/Tallinn", "America/Chicago"].randomElement(using: &random) ?? ""
      return city
    }
  }
}
