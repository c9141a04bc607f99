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
    #expect(facts["BE"]?.languages == ["nl", "fr", "de"] && facts["BE"]?.languageNames == "Dutch, French, German")
    #expect(facts["BE"]?.callingCodes == "+32" && facts["BE"]?.neighbours == ["DE", "FR", "LU", "NL"])
    #expect(facts["DO"]?.callingCodes == "+1 809, +1 829" && japan.neighbours.isEmpty)
    for (code, fact) in facts {
      #expect(fact.neighbours.allSatisfy { facts[TextKey($0)]?.neighbours.contains(code.text) == true })
    }
    #expect(facts["AQ"] == nil && facts["AN"] == nil)
  }
}
