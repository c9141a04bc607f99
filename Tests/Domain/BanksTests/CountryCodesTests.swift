import Banks
import Testing
import Text

@Suite("countries by name")
struct CountryCodesTests {
  @Test(
    arguments: [
      ("ba", ["BA"]), ("Finland", ["FI"]), ("finnland", ["FI"]), ("Lietuva", ["LT"]), ("日本", ["JP"]), ("UK", ["GB"]),
      ("usa", ["US"]), ("840", ["US"]), ("008", ["AL"]), ("8", ["AL"]), ("BI", ["BI"]),
      ("Bosnia & Herzegovina", ["BA"]), ("bosnia and herzegovina", ["BA"]), ("Grand Duchy of Luxembourg", ["LU"]),
      ("Palestine, State of", ["PS"]),
      ("Congo, The Democratic Republic of the", ["CD"]), ("Congo", ["CD", "CG"]), ("Korea", ["KP", "KR"]),
      ("Virgin Islands", ["VG", "VI"]), ("Virgin Islands, U.S.", ["VI"]), ("XX", []), ("Congo\tCD", []), ("a", []),
      ("", []), (String(repeating: "Finland ", count: 1_000_000), []),
    ])
  func `the countries that have a name`(text: String, codes: [String]) {
    #expect(CountryName.codes(called: text) == codes)
  }

  @Test func `every country is found by its code and by the name that is shown`() {
    for country in CountryName.all {
      #expect(CountryName.codes(called: country.code) == [country.code])
      #expect(CountryName.codes(called: country.name) == [country.code])
    }
  }
}
