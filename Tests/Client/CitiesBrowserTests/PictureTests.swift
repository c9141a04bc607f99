import CitiesMap
import CitiesProtocol
import Testing
import Text

@testable import CitiesBrowser

@Suite("Pictures of the screen")
struct PictureTests {
  private func line(_ text: String, width: Int, _ charset: Charset = .unicode) -> String {
    var picture = Picture(ScreenSize(rows: 1, columns: width), charset)
    picture.put(text, row: 0, column: 0)
    return picture.lines[0]
  }

  @Test func `what does not fit is cut, and wide characters never in half`() {
    #expect(line("abcdef", width: 6) == "abcdef")
    #expect(line("abcdef", width: 5) == "abcd…")
    #expect(line("東京都", width: 6) == "東京都")
    #expect(line("東京都", width: 5) == "東京…")
    #expect(line("東京都", width: 4) == "東…")
    #expect(line("abcdef", width: 5, .ascii) == "ab...")
    #expect(line("a\u{301}bc", width: 3) == "a\u{301}bc")
    #expect(line("", width: 3) == "")
  }

  @Test func `nothing that acts on a terminal reaches it`() {
    #expect(line("a\u{1B}[2Jb\u{9C}\u{202E}", width: 20) == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}")
    #expect(line("Łódź 東\u{7}", width: 20, .ascii) == "Lodz ??")
    for charset in [Charset.unicode, .ascii] {
      #expect(line("a\u{E0041}\u{200B}b\u{200D}", width: 20, charset) == "ab")
    }
  }

  @Test func `the columns that differ start at a whole character`() {
    func picture(_ text: String) -> Picture {
      var picture = Picture(ScreenSize(rows: 1, columns: 8), .unicode)
      picture.put(text, row: 0, column: 0)
      return picture
    }
    let texts = ["", "abc", "abd", "xbc", "東京", "東x", "a東京", "ab東", "東東"]
    for earlier in texts {
      for later in texts {
        let (before, after) = (picture(earlier), picture(later))
        let columns = after.changed(row: 0, since: before)
        #expect((columns == nil) == (before == after), "\(earlier) \(later)")
        guard let columns else { continue }
        let (old, new) = (Array(before.row(0)), Array(after.row(0)))
        for column in 0..<8 where !columns.contains(column) { #expect(old[column] == new[column]) }
        #expect(!new[columns.lowerBound].text.isEmpty && !old[columns.lowerBound].text.isEmpty)
      }
    }
    #expect(picture("abc").changed(row: 0, since: nil) == 0..<8)
    #expect(picture("abc").changed(row: 0, since: Picture(ScreenSize(rows: 1, columns: 9), .unicode)) == 0..<8)
  }

  @Test func `widths are those of the tables`() {
    for text in ["", "abc", " ~", "\u{7F}", "\u{1B}[", "Łódź", "東京", "a\u{301}", "👩‍👩‍👧"] {
      #expect(textWidth(text) == cellWidth(text))
    }
  }

  @Test func `half of a wide character that is painted over leaves a blank`() {
    var picture = Picture(ScreenSize(rows: 1, columns: 6), .unicode)
    picture.put("東京", row: 0, column: 0)
    picture.put("x", row: 0, column: 1)
    #expect(picture.lines[0] == " x京")
    picture.put("y", row: 0, column: 2)
    #expect(picture.lines[0] == " xy")
  }

  @Test func `clusters of any width are shown whole`() {
    for (text, cells) in [("राष्ट्र", 5), ("स्ट्रा", 4), ("👍🏽", 4), ("कों", 2), ("ᄒ\u{1161}\u{11AB}", 2)] {
      #expect(textWidth(text) == cells)
      #expect(line("\(text)x", width: 20) == "\(text)x")
      #expect(line("\(text)x", width: cells + 1) == "\(text)x")
      var picture = Picture(ScreenSize(rows: 1, columns: 9), .unicode)
      picture.put(text, row: 0, column: 0)
      picture.put("x", row: 0, column: 8)
      #expect(picture.row(0).count == 9 && picture.lines[0].hasPrefix(text) && picture.lines[0].hasSuffix("x"))
    }
  }

  @Test(arguments: 0..<4) func `any part of a cluster that is painted over leaves blanks`(column: Int) {
    var picture = Picture(ScreenSize(rows: 1, columns: 5), .unicode)
    picture.put("स्ट्राb", row: 0, column: 0)
    picture.put("x", row: 0, column: column)
    var cells = ["x", " ", " ", " "]
    cells.swapAt(0, column)
    #expect(picture.row(0).map(\.text) == cells + ["b"])
    picture.put("東", row: 0, column: 3)
    #expect(picture.row(0).map(\.text).suffix(2) == ["東", ""])
  }

  @Test func `a line of a narrow panel is cut, so that the selected one is marked`() {
    let names = ["San Pedro de Macorís", "Santo Domingo de los Colorados", "Villa Bisonó"]
    let visits = names.enumerated().map { number, name in
      var city = World.city(UInt64(number), name, "DO")
      city.region = "Provincia de \(name)"
      return city
    }
    var rig = Rig(state: BrowserState(visits: visits), rows: 14, columns: 44)
    rig.press(.alt("v"), .down)
    let picture = Painter(.unicode) { _, _ in nil }.picture(of: rig.browser)
    let selected = (3..<13).filter { picture.row($0).dropFirst(2).contains { $0.style.isSelected && $0.text == ">" } }
    #expect(selected.map { picture.lines[$0].contains("> Santo Domingo") } == [true])
    #expect(rig.lines.count { $0.contains("│") } == 3)
  }

  @Test(arguments: [(-1, 0), (3, 0), (0, -1), (0, 9)]) func `what lies outside is left out`(_ row: Int, _ column: Int) {
    var picture = Picture(ScreenSize(rows: 3, columns: 9), .unicode)
    #expect(picture.put("x", row: row, column: column) == 0)
    picture.restyle(row: row, columns: -5..<50) { $0.isSelected = true }
    picture.clear(rows: -2..<50, columns: -2..<50)
    #expect(picture.lines == ["", "", ""])
  }

  @Test func `lines are broken at blanks`() {
    #expect(Charset.unicode.wrapped("one two three", width: 7) == ["one two", "three"])
    #expect(Charset.unicode.wrapped("extraordinary one", width: 5) == ["extraordinary", "one"])
    #expect(Charset.unicode.wrapped("", width: 5) == [""])
    #expect(Charset.unicode.wrapped("  ab", width: 5) == ["  ab"])
  }

  @Test func `positions have all digits that are known`() {
    #expect(Degrees.exactText(lat: 59.43696, lon: 24.75353) == "59.43696 N 24.75353 E")
    #expect(Degrees.exactText(lat: -33.9, lon: 18.4) == "33.9 S 18.4 E")
  }

  @Test func `zones called after a city suggest it, and others nothing`() {
    #expect(city(ofZone: "/usr/share/zoneinfo/America/New_York") == "New York")
    #expect(city(ofZone: "Europe/Tallinn") == "Tallinn")
    for text in ["/usr/share/zoneinfo/Etc/UTC", "UTC", "", "EST5EDT", "/usr/share/zoneinfo/UTC"] {
      #expect(city(ofZone: text) == nil)
    }
  }
}
