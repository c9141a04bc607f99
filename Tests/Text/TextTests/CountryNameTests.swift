import Testing
import Text

@Suite("names of countries")
struct CountryNameTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  private static var codes: [String] { letters.flatMap { first in letters.map { "\(first)\($0)" } } }

  @Test func `the codes of ISO 3166-1 and Kosovo's are known, and no other`() {
    // 249 of the standard; XK is of those that it leaves to users.
    #expect(CountryName.all.count == 250)
    #expect(Self.codes.filter { CountryName[$0] != nil } == CountryName.all.map(\.code))
    for code in ["XX", "UK", "EU", "AN", "F", "FIN", "F\t", ""] { #expect(CountryName[code] == nil) }
    let names = CountryName.all.map(\.name)
    #expect(Set(names).count == names.count && names.allSatisfy { $0.count > 3 })
  }

  @Test(
    arguments: [
      ("FI", "Finland"), ("BA", "Bosnia and Herzegovina"), ("CI", "Ivory Coast"), ("AX", "Åland Islands"),
      ("SH", "Saint Helena, Ascension and Tristan da Cunha"), ("ZW", "Zimbabwe"), ("fi", "Finland"), ("XX", "XX"),
      ("", ""),
    ])
  func `a country has its usual name, and an unknown code is its own`(code: String, name: String) {
    #expect(CountryName.name(of: code) == name)
  }
}
