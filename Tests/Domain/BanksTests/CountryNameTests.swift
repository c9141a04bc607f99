import Banks
import Testing

@Suite("names of countries")
struct CountryNameTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  private static var codes: [String] { letters.flatMap { first in letters.map { "\(first)\($0)" } } }

  @Test func `the codes of ISO 3166-1 and Kosovo's are known, and no other`() {
    // 249 of the standard; XK is of those that it leaves to users.
    #expect(Self.codes.count { CountryName.isKnown($0) } == 250)
    for code in ["XX", "UK", "EU", "fi", "F", "FIN", ""] { #expect(!CountryName.isKnown(code)) }
    let names = Self.codes.filter { CountryName.isKnown($0) }.map { CountryName.name(of: $0) }
    #expect(Set(names).count == names.count && names.allSatisfy { $0.count > 3 })
  }

  @Test(
    arguments: [
      ("FI", "Finland"), ("BA", "Bosnia and Herzegovina"), ("CI", "Ivory Coast"), ("AX", "Åland Islands"),
      ("SH", "Saint Helena, Ascension and Tristan da Cunha"), ("ZW", "Zimbabwe"), ("XX", "XX"), ("", ""),
    ])
  func `a country has its usual name, and an unknown code is its own`(code: String, name: String) {
    #expect(CountryName.name(of: code) == name)
  }

  @Test(
    arguments: [
      ("ba", "BA"), ("Finland", "FI"), ("finland", "FI"), ("UK", "GB"), ("usa", "US"), ("XX", nil), ("", nil),
    ])
  func `the code that was probably meant`(text: String, code: String?) {
    #expect(CountryName.code(meantBy: text) == code)
  }
}
