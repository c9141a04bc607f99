import Banks
import Geodesy
import Testing

@Suite("what a location may be")
struct LocationTests {
  @Test func `texts are trimmed, lines end with a line feed alone, and what is empty is absent`() {
    var untidy = location(" Jo\u{0303}geva\t", address: "\u{A0}Kesk 4 ", region: " \n", bank: "b ", id: " 1 ")
    untidy.availability = "E-R 9.00-17.00 \r\nL 10.00-15.00\t\r\n\r\n"
    untidy.info = "\r\n a \r b\n\n c \n"
    untidy.phone = ""
    let tidy = untidy.tidied()
    #expect(tidy.name == "Jõgeva" && tidy.name?.unicodeScalars.count == 6, "NFC")
    #expect(tidy.address == "Kesk 4" && tidy.region == nil && tidy.bank == "b" && tidy.sourceID == "1")
    #expect(tidy.availability == "E-R 9.00-17.00\nL 10.00-15.00")
    #expect(tidy.info == "a\n b\n\n c" && tidy.phone == nil)
    #expect(tidy.tidied() == tidy)
  }

  @Test
  func `every row is a location, whether it equals another one after trimming or differs in a single key`() throws {
    var builder = BankIndexBuilder()
    try builder.add(location("Äri ", address: " Kesk 1"))
    try builder.add(location("A\u{308}ri", address: "Kesk 1\r\n"))
    var changes: [BankLocation] = [
      location("Äri", address: "Kesk 2"), location("äri"), location(nil), location("Äri", kind: .atm),
      location("Äri", kind: .unknown(7)), location("Äri", region: nil), location("Äri", latitude: 59.00000001),
      location("Äri", bank: "swedbank-lv"), location("Äri", country: "LV"), location("Äri", zone: "Europe/Riga"),
      location("Äri", id: "1"),
    ]
    for change in [
      { (one: inout BankLocation) in one.noCash = true }, { $0.coinStation = true }, { $0.availability = "24h" },
      { $0.info = "x" }, { $0.phone = "1" }, { $0.email = "a@b" }, { $0.website = "c" }, { $0.hours = .always },
    ] {
      changes.append(location("Äri"))
      change(&changes[changes.count - 1])
    }
    for change in changes { try builder.add(change) }
    #expect(builder.count == 2 + changes.count)
    let built = try BuiltIndex(changes + [location("Äri"), location("Äri")])
    #expect(built.locations.count == 2 + changes.count, "every location has an id of its own")
  }

  @Test func `minus zero is zero`() throws {
    #expect(location("a", latitude: -0.0).tidied() == location("a", latitude: 0).tidied())
  }

  @Test(
    arguments: [(0, "branch"), (1, "atm"), (2, "bna"), (3, "unknown (3)"), (-1, "unknown (-1)")])
  func `every code is a kind and keeps its number`(code: Int, name: String) {
    #expect(LocationKind(code: code).code == code && LocationKind(code: code).description == name)
  }

  @Test(
    arguments: [
      (location("a", latitude: 91), "latitude 91.0"), (location("a", latitude: .nan), "latitude nan"),
      (location("a", longitude: -180.5), "longitude -180.5"), (location("a", longitude: .infinity), "longitude inf"),
      (location("a", country: "Estonia"), "country \"Estonia\""), (location("a", country: "ee"), "country \"ee\""),
      (location("a", bank: ""), "the bank \"\""), (location("a", bank: "a b"), "the bank \"a b\""),
      (location("a", id: "1 2"), "the id \"1 2\""), (location("a", zone: " "), "time zone"),
      (location("a", zone: "../x"), "time zone \"../x\""),
      (location("a\u{0}"), "the name contains U+0000"), (location(String(repeating: "x", count: 1025)), "1025 bytes"),
      (location("a", address: String(repeating: "õ", count: 600)), "the address has 1200 bytes"),
    ] as [(BankLocation, String)])
  func `what cannot be in an index is refused with what was found`(location: BankLocation, reason: String) {
    var builder = BankIndexBuilder()
    let problem = #expect(throws: BankProblem.self) { try builder.add(location) }
    #expect(problem?.description.contains(reason) ?? false, "\(problem?.description ?? "")")
    #expect(builder.count == 0)
  }

  @Test func `no name, no region, no address and an unknown kind are no reason to refuse`() throws {
    var builder = BankIndexBuilder()
    try builder.add(location(nil, address: "", kind: .unknown(99), region: nil))
    try builder.add(location(nil, address: "", kind: .unknown(nil), region: nil))
    #expect(builder.count == 2)
  }
}
