import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct ColourTests {
  private func row(_ query: String, colours: Colours?) throws -> [String] {
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let rows = [city(588_409, "São Paulo", "BR", lat: 1.5, lon: 2.5, population: 394_024)]
    let listing = CityListing.of(rows, total: 1, generation: "00000000000000aa", for: query)
    try RowRenderer(format: .table, colours: colours).render(listing, to: output)
    return String(decoding: output.bytes, as: UTF8.self)
      .replacing("\u{1B}[0m", with: ">").replacing("\u{1B}[", with: "<").split(separator: "\n").map(String.init)
  }

  @Test func `a table shows what its parts mean`() throws {
    let lines = try row("sao p", colours: Colours())
    #expect(lines[0] == "<2mTITLE>          <2mPOPULATION>  <2mLAT>  <2mLON>      <2mID>")
    #expect(lines[1] == "<1;4mSão P><1maulo, BR>     394,024  <2m1.5>  <2m2.5>  <2m588409>")
  }

  @Test func `the last words of a query may name an area`() throws {
    #expect(try row("sao paulo brazil", colours: Colours())[1].hasPrefix("<1;4mSão Paulo><1m, BR>"))
    #expect(try row("brazil", colours: Colours())[1].hasPrefix("<1mSão Paulo, BR>"))
  }

  @Test func `without colours a table is plain`() throws {
    #expect(try !row("sao p", colours: nil).joined().contains("<"))
  }

  @Test func `the variable changes single looks`() throws {
    let lines = try row("sao", colours: Colours("title=1;34:match=:id="))
    #expect(lines[1] == "<1;34mSão><1;34m Paulo, BR>     394,024  1.5  2.5  588409")
  }

  @Test(arguments: [
    "titel=1", "title", "title=1m", "title=\u{1B}[2J", "=", "title=\(String(repeating: "1;", count: 17))",
  ])
  func `an invalid part is reported and changes nothing`(part: String) throws {
    let colours = Colours("id=33:\(part)")
    #expect(colours.invalid == [part])
    #expect(
      colours.painted("a", .title) == "\u{1B}[1ma\u{1B}[0m" && colours.painted("1", .id) == "\u{1B}[33m1\u{1B}[0m")
  }

  @Test func `units are apart from their numbers`() throws {
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let row = CityNear.Neighbour(city: city(1, "a"), distance: 2_711)
    let renderer = RowRenderer(format: .table, columns: ["distance"], colours: Colours())
    try renderer.render(CityListing.of([row], generation: "00000000000000aa"), to: output)
    #expect(String(decoding: output.bytes, as: UTF8.self).hasSuffix("  2.7\u{1B}[2m km\u{1B}[0m\n"))
  }

  @Test func `headings of the help and comments of its examples have their looks`() {
    let page = "Find.\n\nUSAGE: citiesctl find\n\nCOMMON OPTIONS: --a\n  # Find\n  citiesctl find x\nNo: heading"
    #expect(
      HelpPage.painted(page, Colours())
        == "Find.\n\n\u{1B}[1mUSAGE\u{1B}[0m: citiesctl find\n\n\u{1B}[1mCOMMON OPTIONS\u{1B}[0m: --a\n"
        + "\u{1B}[2m  # Find\u{1B}[0m\n  citiesctl find x\nNo: heading")
  }
}
