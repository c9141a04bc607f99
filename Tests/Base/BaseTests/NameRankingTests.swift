import Base
import Testing

@Suite struct NameRankingTests {
  @Test(
    arguments: [
      ("Estnia", "Estonia", 1), ("estonia", "ESTONIA", 0), ("Lativa", "Latvia", 1), ("Lativa", "Lithuania", nil),
      ("ab", "ba", 1), ("x", "y", nil), ("abc", "abcdefg", nil), ("õnne", "ÕNNE", 0),
    ] as [(String, String, Int?)])
  func `mistakes are counted up to the tolerance`(word: String, name: String, mistakes: Int?) {
    var ranking = NameRanking(word)
    #expect(ranking?.mistakes(in: name) == mistakes)
  }

  @Test func `the nearest come first then those that start with the word then the rest`() {
    let names = ["Austria", "Lithuania", "Estland und Livland", "Estonia", "Latvia", "Estnia"]
    #expect(names.nearest(to: "estnia", atMost: 3) == ["Estnia", "Estonia", "Austria"])
    #expect(names.nearest(to: "est", atMost: 4) == ["Estland und Livland", "Estonia", "Estnia", "Austria"])
    #expect(names.nearest(to: "", atMost: 2) == ["Austria", "Lithuania"])
    #expect(names.nearest(to: String(repeating: "x", count: 65), atMost: 1) == ["Austria"])
  }

  @Test func `the letters of a bounded number of names are compared`() {
    let names = (0..<100_000).map { "name \($0)" } + ["wrod"]
    let long = String(repeating: "n", count: 64)
    #expect(names.nearest(to: "word", atMost: 2) == ["name 0", "name 1"])
    #expect(["word"].nearest(to: "wrod", atMost: 2) == ["word"])
    #expect([long].nearest(to: String(repeating: "n", count: 60), atMost: 1) == [long])
  }
}
