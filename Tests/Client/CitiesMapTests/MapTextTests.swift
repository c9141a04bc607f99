import Testing
import Text

@testable import CitiesMap

@Suite struct MapTextTests {
  @Test(arguments: [
    ("Tallinn", ["T", "a", "l", "l", "i", "n", "n"]), ("東京x", ["東", "", "京", "", "x"]),
    ("e\u{301}a", ["e\u{301}", "a"]), ("\u{301}a", ["a"]), ("a\u{1B}[m", ["a", "?", "[", "m"]),
    ("a\u{202E}b", ["a", "?", "b"]),
    ("a\u{200B}\u{E0041}b", ["a", "b"]), ("a\tb\nc", ["a", " ", "b", " ", "c"]), ("", []),
  ])
  func `a text is laid out in cells`(text: String, cells: [String]) {
    #expect(MapText(text, .unicode).cells == cells)
  }

  @Test func `combining marks do not pile up`() {
    let text = "a" + String(repeating: "\u{301}", count: 1_000)
    #expect(MapText(text, .unicode).cells == ["a\u{301}\u{301}\u{301}\u{301}"])
  }

  @Test(arguments: [
    ("Łódź", "Lodz"), ("Suður", "Sudur"), ("Ærø", "Aero"), ("Straße", "Strasse"), ("東京", "??"), ("e\u{301}", "e"),
    ("São Paulo", "Sao Paulo"), ("ʻOhonua", "'Ohonua"), ("a\u{7}", "a?"),
  ])
  func `ASCII is what a keyboard has`(text: String, ascii: String) {
    #expect(MapText(text, .ascii).cells.joined() == ascii)
    #expect(MapText(text, .ascii).cells.allSatisfy { $0.utf8.count == 1 })
  }

  @Test func `a cut text says so and never halves a wide character`() {
    for count in 0...8 {
      var text = MapText("東京東京", .unicode)
      text.cut(to: count, .unicode)
      #expect(text.cells.count == count)
      #expect(cellWidth(text.cells.joined()) == count)
      #expect(count == 0 || count == 8 || text.cells.last == "…")
    }
  }
}
