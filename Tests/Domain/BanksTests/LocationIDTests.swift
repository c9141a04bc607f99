import Banks
import Testing

@Suite("ids that scripts keep")
struct LocationIDTests {
  @Test func `the source's id, or the documented hash, after the bank`() throws {
    #expect(try id(location("Poslovnica", bank: "imaginary", id: "1")) == "imaginary-1")
    // FNV-1a over "0␟LIIVALAIA␟LIIVALAIA 8, 15040 TALLINN␟5942736111␟2474562778", computed apart.
    let real = location(
      "LIIVALAIA", address: "LIIVALAIA 8, 15040 TALLINN", latitude: 59.42736111, longitude: 24.74562778)
    #expect(try id(real) == "swedbank-ee-1c7795c2")
    let bare = location(nil, address: "", kind: .unknown(-3), bank: "swedbank-lt", latitude: -1, longitude: 0)
    #expect(try id(bare) == "swedbank-lt-e3c2cf95")
  }

  @Test
  func `a new opening time, region or telephone keeps the id; a new name, address, kind or place changes it`() throws {
    var changed = location("a", region: nil)
    (changed.availability, changed.hours, changed.phone, changed.noCash) = ("24h", .always, "1", true)
    #expect(try id(changed) == id(location("a")))
    let others = [
      location("b"), location("A"), location("a", address: "Kesk 2"), location("a", kind: .atm),
      location("a", latitude: 59.00000001), location(nil),
    ]
    #expect(try Set(others.map(id)).count == others.count && !others.map(id).contains(id(location("a"))))
  }

  @Test func `rows with one id are distinguished by the rest, equal ones by a number, in any order`() throws {
    var locations = ["24h", "E 9.00-17.00", "zzz"].map { text in
      var location = location("a")
      location.availability = text
      return location
    }
    locations += [location("x", bank: "imaginary", id: "1"), location("y", bank: "imaginary", id: "1")]
    locations += [locations[0], locations[1], locations[1], location("x", bank: "imaginary", id: "1")]
    locations += [location("z", bank: "imaginary", id: "1-2")]
    let expected = try BuiltIndex(locations).locations
    #expect(expected.count == locations.count)
    let base = try id(location("a"))
    #expect(expected[base]?.availability == "24h" && expected["\(base)-2"]?.availability == "24h")
    // FNV-1a over the fields of the documentation, computed apart.
    let twin = "\(base)-8fb95dae"
    for id in [twin, "\(twin)-2", "\(twin)-3"] { #expect(expected[id]?.availability == "E 9.00-17.00", "\(id)") }
    #expect(expected.values.count { $0.availability == "zzz" } == 1)
    #expect(expected["imaginary-1"]?.name == "x" && expected["imaginary-1-2"]?.name == "z")
    #expect(expected["imaginary-1-3"]?.name == "x", "an id that the source gave is not taken away")
    for _ in 0..<10 { #expect(try BuiltIndex(locations.shuffled()).locations == expected) }
  }

  @Test
  func `what becomes of a twin leaves the ids of the others alone, and so does what is derived or configured`() throws {
    func twin(_ text: String, _ hours: WeeklyHours?, zone: String) -> BankLocation {
      var location = location("a", zone: zone)
      (location.availability, location.hours) = (text, hours)
      return location
    }
    let texts = ["24h", "E 9.00-17.00", "L 9.00-17.00", "P 9.00-17.00"]
    let all = try BuiltIndex(texts.map { twin($0, nil, zone: "Europe/Tallinn") }).locations
    let ids = Dictionary(uniqueKeysWithValues: all.map { ($0.value.availability ?? "", $0.key) })
    for left in texts.dropFirst() {
      let rest = texts.filter { $0 != left }.map { twin($0, .always, zone: "Europe/Riga") }
      for (id, location) in try BuiltIndex(rest).locations { #expect(ids[location.availability ?? ""] == id) }
    }
  }

  private func id(_ location: BankLocation) throws -> String {
    try #require(try BuiltIndex([location]).locations.keys.first)
  }
}
