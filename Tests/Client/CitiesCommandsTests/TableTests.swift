import CitiesProtocol
import TestSupport
import Testing
import Text

@testable import CitiesCommands

@Suite struct TableTests {
  static let rows = [
    city(588_409, "Tallinn", "EE", lat: 59.43696, lon: 24.75353, population: 394_024),
    city(2, "東京", "JP", lat: 35, lon: 139.5, population: 9_733_276),
    city(3, "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "GB", lat: 53.2, lon: -4.2),
  ]

  private func lines(width: Int?, columns: [String] = [], showsUnicode: Bool = true) throws -> [String] {
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let renderer = RowRenderer(format: .table, columns: columns, width: width, showsUnicode: showsUnicode)
    try renderer.render(CityListing.of(Self.rows, total: 3, generation: "00000000000000aa"), to: output)
    return String(decoding: output.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `an unbounded table has every column whole`() throws {
    let name = Self.rows[2].name
    let gap = String(repeating: " ", count: name.utf8.count + 4 - "TITLE".utf8.count)
    #expect(
      try lines(width: nil) == [
        "TITLE\(gap)  POPULATION       LAT       LON      ID",
        "Tallinn, EE\(gap.dropFirst(6))     394,024  59.43696  24.75353  588409",
        "東京, JP\(gap.dropFirst(3))   9,733,276      35.0     139.5       2",
        "\(name), GB                  53.2      -4.2       3",
      ])
  }

  @Test func `of eighty cells the title gets what the numbers leave`() throws {
    #expect(
      try lines(width: 80) == [
        "TITLE                                     POPULATION       LAT       LON      ID",
        "Tallinn, EE                                  394,024  59.43696  24.75353  588409",
        "東京, JP                                   9,733,276      35.0     139.5       2",
        "Llanfairpwllgwyngyllgogerychwyrndrobwll…                  53.2      -4.2       3",
      ])
  }

  @Test(arguments: 16...140) func `no line is wider than the terminal and the title stays`(width: Int) throws {
    let lines = try lines(width: width)
    #expect(lines.allSatisfy { cellWidth($0) <= width })
    #expect(lines[0].hasPrefix("TITLE") && lines[1].hasPrefix("Tallinn, EE") && lines[2].hasPrefix("東京, JP"))
  }

  @Test func `positions go first then ids and regions`() throws {
    let heads = try (16...140).map { try lines(width: $0)[0].split(separator: " ").map(String.init) }
    var seen: [[String]] = []
    for head in heads where seen.last != head { seen.append(head) }
    #expect(
      seen == [
        ["TITLE"], ["TITLE", "POPULATION"], ["TITLE", "POPULATION", "ID"],
        ["TITLE", "POPULATION", "LAT", "LON", "ID"],
      ])
  }

  @Test func `a title is not shortened while another text can be`() throws {
    let found = [CityFind.Row(by: .alternate, city: Self.rows[0], matched: String(repeating: "Revel ", count: 20))]
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let listing = Listing(columns: CityListing.foundColumns, rows: found, total: 1)
    try RowRenderer(format: .table, width: 60).render(listing, to: output)
    let row = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n")[1]
    #expect(row.hasPrefix("Tallinn, EE     394,024  Revel Revel") && row.hasSuffix("…  588409") && cellWidth(row) == 60)
  }

  @Test(arguments: [
    (40, ["TITLE", "LOCAL"]), (60, ["TITLE", "LOCAL", "OFFSET"]),
    (90, ["TITLE", "REGION", "LOCAL", "OFFSET", "CHANGE"]),
  ])
  func `a narrow table of times keeps the time, then the offset`(width: Int, heads: [String]) throws {
    var city = Self.rows[0]
    city.region = "Harju"
    var row = CityTime.Row(city: city, zone: "Europe/Tallinn")
    let moment = Timestamp(text: "2026-03-01T12:00:00Z")
    (row.local, row.offset) = ("2026-03-01T14:00:00", "+02:00")
    row.change = CityTime.Change(at: moment, local: "2026-03-29T03:00:00", offset: "+03:00")
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let reply = CityTime.Reply(at: moment, rows: [row], generation: "00000000000000aa")
    try RowRenderer(format: .table, width: width).render(CityTimeListing.of(reply), to: output)
    let lines = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines[0].split(separator: " ").map(String.init) == heads && lines.allSatisfy { cellWidth($0) <= width })
  }

  @Test func `named columns are all shown`() throws {
    #expect(try lines(width: 30, columns: ["title", "lat", "lon", "id"])[0].split(separator: " ").count == 4)
  }

  @Test func `a terminal of ASCII gets another mark`() throws {
    #expect(try lines(width: 40, showsUnicode: false)[3].contains("~"))
  }

  @Test(arguments: [
    (0, "0 m"), (999, "999 m"), (1_000, "1.0 km"), (2_711, "2.7 km"), (99_949, "99.9 km"), (99_950, "100 km"),
    (100_000, "100 km"), (1_204_400, "1,204 km"), (20_015_086, "20,015 km"), (.max, "18,446,744,073,709,552 km"),
  ])
  func `distances have a unit`(metres: UInt64, text: String) {
    #expect(ValueForm.distance.text(of: .count(metres)) == text)
  }
}
