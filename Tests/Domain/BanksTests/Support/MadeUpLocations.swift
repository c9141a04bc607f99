import Banks
import Geodesy
import TestSupport

/// A branch in Tallinn, with defaults for the fields not given.
func location(
  _ name: String?, address: String = "Kesk 1", kind: LocationKind = .branch, region: String? = "Harju maakond",
  country: String = "EE", bank: String = "swedbank-ee", id: String? = nil, zone: String = "Europe/Tallinn",
  latitude: Double = 59, longitude: Double = 24
) -> BankLocation {
  BankLocation(
    bank: bank, sourceID: id, kind: kind, name: name, address: address, region: region, country: country,
    point: GeoPoint(latitude: latitude, longitude: longitude), zone: zone)
}

/// Seeded locations whose names repeat, differ in case and accents alone, or are missing.
enum MadeUpLocations {
  private static let names = [
    "Aardla", "ÄRI", "äri", "Ari", "Õismäe", "oismae", "Ōle", "Zarasai", "Žvėrynas", "Šilutė", "silute", nil, "łódź",
  ]
  private static let addresses = ["Kesk 4, JÕGEVA", "kesk 4, Jõgeva", "Gedimino pr. 12", "", "Brīvības iela 1"]
  private static let regions = ["Jõgeva maakond", "JÕGEVA maakond", "Alytus", "Šiauliai", "Siauliai", "Rīga", nil]
  private static let countries = [
    ("EE", "Europe/Tallinn"), ("LV", "Europe/Riga"), ("LT", "Europe/Vilnius"), ("BA", "Europe/Sarajevo"),
    ("XX", "Nowhere"),
  ]

  static func make(_ count: Int, seed: UInt64) -> [BankLocation] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { number in
      let (country, zone) = pick(countries, &random)
      var location = location(
        pick(names, &random), address: pick(addresses, &random), kind: LocationKind(code: number % 5),
        region: pick(regions, &random), country: country, bank: "swedbank-\(country.lowercased())",
        id: number % 7 == 0 ? "\(number % 3)" : nil, zone: zone, latitude: coordinate(90, &random),
        longitude: coordinate(180, &random))
      location.availability = number % 4 == 0 ? "24h" : number % 4 == 1 ? "E-R 9.00-17.00" : nil
      location.hours = location.availability.flatMap { WeeklyHours(availability: $0, language: .estonian) }
      return location
    }
  }

  /// Whole degrees collide often; the bound itself is a pole or the date line.
  private static func coordinate(_ bound: Int, _ random: inout SeededGenerator) -> Double {
    Double(pick([Int.random(in: -bound...bound, using: &random), bound, -bound, 0], &random))
  }

  private static func pick<Element>(_ elements: [Element], _ random: inout SeededGenerator) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }
}
