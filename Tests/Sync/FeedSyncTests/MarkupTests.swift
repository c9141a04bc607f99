import Banks
import CitiesProtocol
import Testing

@testable import FeedSync

@Suite struct MarkupTests {
  @Test(arguments: [
    ("Raua 1<br>Tallinn", "Raua 1\nTallinn"), ("A&amp;B &#8211; &otilde;&Scaron;&#x17E;", "A&B – õŠž"),
    ("<p class=\"x\"><b>E-R</b> 9&nbsp;–&nbsp;17</p>", "\nE-R 9\u{a0}–\u{a0}17\n"), ("&lt;br&gt;", "<br>"),
    ("A&amp;nbsp;B &amp;#228; &amp;x; &amp;amp; &amp;", "A\u{a0}B ä &x; & &"),
    ("a < b > c", "a < b > c"), ("AT&T; x", "AT&T; x"), ("<Rimi> &foo; & <", "<Rimi> &foo; & <"),
    // A mark ends what has started before: no byte is looked at for each of the marks before it.
    ("<a <b>x", "<a x"), ("&am<b>p; &a&amp;", "&amp; &a&"), ("&\u{301}<\u{301}b>", "&\u{301}<\u{301}b>"),
    ("&#0;&#x110000;&#xD800;&#;&#x;", "&#0;&#x110000;&#xD800;&#;&#x;"), ("", ""), ("<BR/>x</Div >", "\nx\n"),
    ("A<!-- b -->C<h4>D</h4><section>E</section><o:p></o:p><!-- f", "AC\nD\n\nE\n<!-- f"), ("<!DOCTYPE html>x", "x"),
    ("&Lstrok;&oacute;d&zacute; &odblac;&gbreve;&imath;&Scedil;&zdot; &Alpha;&omega;", "Łódź őğıŞż Αω"),
    ("9&#150;17 &#128; &#x92; &minus;&ensp;&sdot;", "9–17 € ’ −\u{2002}⋅"), ("&qacute;&acute;", "&qacute;´"),
    ("&auml" + String(repeating: "x", count: 300) + ";", "&auml" + String(repeating: "x", count: 300) + ";"),
  ])
  func `tags and references are resolved, anything else stays`(text: String, plain: String) {
    #expect(Markup.plain(text) == plain)
  }

  @Test func `in a list, line breaks of a name and an address are commas, and hours are read`() throws {
    let text = #"""
      [{"lat": 59, "lon": 25, "t": 0, "n": "Kesk &amp; Co", "a": "Raua 1,<br>\r\n<br/>Tallinn",
        "av": "E-R 9.00-17.00<br>L 10.00-14.00", "i": "<p>Esimene</p><p>Teine</p>"}]
      """#
    let importer = BankImporter(try SyncConfiguration(environment: [:], user: 1_000))
    let row = try #require(openedRows(importer.image(of: [.swedbankEE: SourceCopy(bytes: Array(text.utf8))])).first)
    #expect(row.name == "Kesk & Co" && row.address == "Raua 1, Tallinn")
    #expect(row.availability == "E-R 9.00-17.00\nL 10.00-14.00" && row.hours?.count == 6)
    #expect(row.info == "Esimene\n\nTeine")
  }
}
