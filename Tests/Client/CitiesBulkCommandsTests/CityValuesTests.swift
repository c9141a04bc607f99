import CBOR
import CitiesCommands
import CitiesProtocol
import Testing

@testable import CitiesBulkCommands

@Suite struct CityValuesTests {
  private func text(_ city: CityRow, _ syntax: TableSyntax, onTerminal: Bool, isWhole: Bool = false) throws -> String {
    var cities = ReplyCities()
    try CBOREncoder().encode([city]).withUnsafeBytes {
      var reader = CBORReader($0, limits: .reply)
      try cities.readRows(&reader)
    }
    let values = CityValues(cities, syntax, onTerminal: onTerminal, isWhole: isWhole)
    var text = ""
    values.withBytes(of: 0) { text = String(decoding: $0, as: UTF8.self) }
    return text
  }

  /// A city whose texts would act on a terminal, or divide a row.
  private var hostile: CityRow {
    var city = CityRow(id: 7, lat: 1.5, lon: 2, name: "A\u{9B}31m\t\u{202E}\\\"\n", country: "E\u{1B}")
    city.region = "R\u{7F}\r"
    return city
  }

  @Test func `names are escaped as in the other formats`() throws {
    #expect(
      try text(hostile, .tsv, onTerminal: false, isWhole: true)
        == "\t7\tA\\u009b31m\\t\u{202E}\\\\\"\\n, E\\u001b\tE\\u001b\tR\\u007f\\r\t1.5\t2.0")
    #expect(
      try text(hostile, .csv, onTerminal: false, isWhole: true)
        == ",7,\"A\\u009b31m\t\u{202E}\\\"\"\n, E\\u001b\",E\\u001b,\"R\\u007f\r\",1.5,2.0")
  }

  @Test func `a terminal gets nothing that acts on it`() throws {
    #expect(try text(hostile, .tsv, onTerminal: true) == "\t7\tA\\u009b31m\\t\\u202e\\\\\"\\n, E\\u001b")
    #expect(try text(hostile, .csv, onTerminal: true) == ",7,\"A\\u009b31m\\u0009\\u202e\\\"\"\\u000a, E\\u001b\"")
  }

  @Test func `other names stay as they are`() throws {
    let city = CityRow(id: 7, lat: 1.5, lon: 2, name: "Côte d’Or «دبي» \"x\"", country: "")
    for onTerminal in [false, true] {
      #expect(try text(city, .tsv, onTerminal: onTerminal) == "\t7\tCôte d’Or «دبي» \"x\"")
      #expect(try text(city, .csv, onTerminal: onTerminal) == ",7,\"Côte d’Or «دبي» \"\"x\"\"\"")
    }
  }
}
