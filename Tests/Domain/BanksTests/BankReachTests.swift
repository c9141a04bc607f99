import Geodesy
import Testing

@testable import Banks

@Suite("What a question may be about")
struct BankReachTests {
  @Test(
    arguments: [
      (BankFilter(), true), (BankFilter(country: "lv"), true), (BankFilter(country: "LATVIA"), true),
      (BankFilter(country: "Lātvia"), true), (BankFilter(country: "EE"), false), (BankFilter(country: "Latvi"), false),
      (BankFilter(country: ""), false), (BankFilter(bank: "swedbank-lv"), true), (BankFilter(bank: "Swedbank"), true),
      (BankFilter(bank: "swed"), false), (BankFilter(bank: "swedbank-lv-1"), false), (BankFilter(bank: "-"), false),
      (BankFilter(bank: ""), false), (BankFilter(country: "LV", bank: "imaginary"), false),
      (BankFilter(bank: String(repeating: "x", count: 60_000)), false), (BankFilter(region: "Rīga"), true),
    ])
  func `conditions leave out banks and countries`(filter: BankFilter, isMeant: Bool) {
    #expect(BankReach(filter).mayInclude(bank: "swedbank-lv", country: "LV") == isMeant)
  }

  @Test func `a country of no name is compared by its code, one that is not known may be any`() {
    #expect(BankReach(BankFilter(country: "qq")).mayInclude(bank: "mine", country: "QQ"))
    #expect(BankReach(BankFilter(country: "EE")).mayInclude(bank: "mine", country: nil))
  }

  @Test(
    arguments: [
      (59.43, 24.75, 1_000, "LV", false), (59.43, 24.75, 100_000, "LV", false), (59.43, 24.75, 160_000, "LV", true),
      (58.25, 26.6, 5_000, "LV", false),
      (59.43, 24.75, 0, "EE", true), (57.5, 24.75, 0, "LV", true), (43.0, -80.0, 2_000_000, "LV", false),
      // Edges of countries beyond their cities: Vilsandi, Unst, Nordkapp, the north of Latvia, Adak.
      (58.38, 21.82, 1_000, "EE", true), (60.85, -0.87, 1_000, "GB", true), (71.18, 25.78, 1_000, "NO", true),
      (58.08, 25.2, 1_000, "LV", true), (51.88, -176.65, 1_000, "US", true), (60.85, -0.87, 1_000, "EE", false),
      // Across the meridian of 180°.
      (66.0, -170.0, 1_000, "RU", true), (52.0, -179.0, 1_000, "RU", true), (64.5, -165.4, 400_000, "RU", true),
      (64.5, -165.4, 50_000, "RU", false), (89.9, 0.0, 4_000_000, "LV", true), (0.0, 0.0, 1, "XX", true),
      (0.0, 0.0, .infinity, "LV", true),
    ] as [(Double, Double, Double, String, Bool)])
  func `a circle leaves out countries that it does not reach`(
    latitude: Double, longitude: Double, radius: Double, country: String, isMet: Bool
  ) {
    let circle = (centre: GeoPoint(latitude: latitude, longitude: longitude), radius: radius)
    #expect(BankReach(BankFilter(), within: circle).mayInclude(bank: "a", country: country) == isMet)
  }

  @Test func `no point of a box is nearer than its bound says`() {
    var generator = SystemRandomNumberGenerator()
    for code in ["LV", "RU", "FJ", "US", "NZ", "NO", "TV", "AQ"] {
      guard let box = CountryBox.box(of: code) else { continue }
      let width = box.east < box.west ? box.east + 360 - box.west : box.east - box.west
      for _ in 0..<500 {
        let east = box.west + Double.random(in: 0...width, using: &generator)
        let inside = GeoPoint(
          latitude: .random(in: box.south...box.north, using: &generator), longitude: east > 180 ? east - 360 : east)
        let place = GeoPoint(
          latitude: .random(in: -90...90, using: &generator), longitude: .random(in: -180...180, using: &generator))
        #expect(box.leastMetres(from: place) <= Double(place.metres(to: inside)) + 1)
        #expect(box.leastMetres(from: inside) == 0)
      }
    }
  }
}
