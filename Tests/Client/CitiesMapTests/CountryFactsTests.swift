import Testing

@testable import CitiesMap

@Suite struct CountryFactsTests {
  @Test func `every country of the table has a capital, a currency or a language`() throws {
    let facts = CountryFacts.all()
    #expect(facts.count == 249)
    #expect(facts.values.allSatisfy { $0.capital != nil || !$0.currency.isEmpty || !$0.languages.isEmpty })
    let japan = try #require(facts["JP"])
    #expect((japan.capital, japan.currency) == (1_850_147, "JPY"))
    #expect(japan.languages == ["ja"])
    #expect(facts["BE"]?.languages == ["nl", "fr", "de"])
    #expect(facts["AQ"] == nil && facts["AN"] == nil)
  }
}
