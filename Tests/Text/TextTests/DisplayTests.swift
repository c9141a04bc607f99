import Testing
import Text

@Suite("showing text")
struct DisplayTests {
  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｆ", 2), ("ｱ", 1), ("\u{200B}", 0), ("😀", 2),
      ("Łódź", 4), ("\u{7}\u{9C}\n", 0), ("괴내", 4), ("a\u{7F}b", 2), ("𝒜", 1),
    ])
  func `width in cells`(text: String, cells: Int) {
    #expect(cellWidth(text) == cells)
  }

  @Test(
    arguments: [
      ("a bc d", .max, ["a bc d"]), ("a bc d", 6, ["a bc d"]), ("a bc d", 5, ["a bc", "  d"]),
      ("abc de", 2, ["abc", "  de"]), ("", 3, [""]), ("東京 x", 6, ["東京 x"]), ("東京 x", 5, ["東京", "  x"]),
    ] as [(String, Int, [String])])
  func `lines are broken at spaces`(text: String, width: Int, lines: [String]) {
    #expect(wrapped(text, width: width, indent: "  ") == lines)
  }

  @Test(
    arguments: [
      ("Albany, US", "alb", .plain, 3), ("Albany, US", "", .plain, 0), ("Albany, US", "albany, us", .plain, 10),
      ("Albany, US", "albany, us!", .plain, nil), ("Albany, US", "b", .plain, nil), ("", "", .plain, 0),
      ("", "a", .plain, nil),
      ("Straße", "stras", .plain, 5), ("Straße", "strass", .plain, 5), ("Straße", "strasse", .plain, 6),
      ("Straße", "strab", .plain, nil), ("São Paulo", "sao p", .baseLetters, 5), ("São Paulo", "sao p", .plain, nil),
      ("Sa\u{303}o", "s\u{E3}", .plain, 2), ("Łódź", "lo", .baseLetters, 2), ("Ærø", "a", .baseLetters, 1),
      ("Ærø", "aer", .baseLetters, 2), ("İzmir", "i", .plain, 1), ("日本", "日", .plain, 1),
    ] as [(String, String, FoldMode, Int?)])
  func `a folded query covers so many characters of a title`(
    title: String, query: String, mode: FoldMode, expected: Int?
  ) {
    #expect(CaseFolder().matchedPrefix(of: title, query: query.utf8, mode) == expected)
  }
}
