import Glibc
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

  @Test func `widths are those of wcwidth(3)`() throws {
    // Its header hides it from Swift.
    let symbol = try #require(dlsym(nil, "wcwidth"))
    let wcwidth = unsafeBitCast(symbol, to: (@convention(c) (wchar_t) -> Int32).self)
    let locale = try #require(newlocale(LC_CTYPE_MASK, "C.UTF-8", nil))
    let before = uselocale(locale)
    defer {
      uselocale(before)
      freelocale(locale)
    }
    // Where the C library knows another version of Unicode than utf8proc, which knows 15.0, they cannot agree.
    let different = (UInt32(0)..<0x110000).compactMap(Unicode.Scalar.init).filter { scalar in
      let width = wcwidth(wchar_t(scalar.value))
      guard width >= 0, let age = scalar.properties.age, age <= (15, 0) else { return false }
      return cellWidth(String(scalar)) != Int(width)
    }
    #expect(different.map { String($0.value, radix: 16) } == [])
    #expect(wcwidth(0x915) == 1, "the locale is installed")
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
