import CitiesProtocol
import Testing

@testable import CitiesMap

@Suite struct VectorTests {
  @Test(arguments: [
    ("a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;"), ("a\u{0}\u{1F}\u{FFFE}b", "a\u{FFFD}\u{FFFD}\u{FFFD}b"),
    ("a\tb\nc", "a b c"), ("a\u{7F}\u{80}\u{9C}\u{9F}b\u{A0}", "ab\u{A0}"),
    ("\u{202E}a\u{202A}b\u{2066}c\u{2069}\u{200E}\u{200F}\u{61C}d\u{200D}\u{E0041}", "abcd"), ("Łódź 東京", "Łódź 東京"),
  ])
  func `text is harmless in XML`(text: String, escaped: String) { #expect(xmlText(text) == escaped) }

  @Test(arguments: [
    (59.43696, 24.75353, "geo:59.43696,24.75353"), (-33.9, 18.4, "geo:-33.9,18.4"), (90, 12, "geo:90.0,0.0"),
    (0.00001, -180, "geo:0.00001,-180.0"),
  ])
  func `a place is a geo URI`(lat: Double, lon: Double, uri: String) {
    #expect(geoURI(Position(lat: lat, lon: lon)) == uri)
  }

  @Test(arguments: [
    (1.0, "1"), (1.25, "1.25"), (100, "100"), (0.004, "0"), (-0.004, "0"), (-2.5, "-2.5"), (10.1, "10.1"),
  ])
  func `numbers are short`(number: Double, text: String) { #expect(short(number) == text) }

  @Test func `the legend says what is shown and nothing else`() throws {
    let view = Viewport.around(Position(lat: 5, lon: 5), in: MapSize(columns: 80, rows: 24))
    let marks = [MapMark(at: view.centre, kind: .atm, label: "<A & B>", isChosen: true)]
    let drawing = MapDrawing(view: view, marks: marks, outlines: Outlines(MadeUpOutlines.small), characters: .ascii)
    let svg = VectorPicture(drawing, title: "\"<&>").svg
    #expect(svg.contains(">ATM<") && svg.contains(">coast (Natural Earth)<") && !svg.contains(">branch<"))
    #expect(svg.contains("&lt;A &amp; B&gt;") && svg.contains("<title>&quot;&lt;&amp;&gt;</title>"))
    let close = VectorPicture(
      MapDrawing(view: view.zoomed(by: 0.01), marks: marks, outlines: drawing.outlines, characters: .unicode), title: ""
    )
    #expect(close.svg.contains("a plan without streets") && !close.svg.contains("Natural Earth"))
  }
}
