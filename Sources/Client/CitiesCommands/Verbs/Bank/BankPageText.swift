import Base
internal import CBOR
internal import CitiesProtocol

/// One location with all its details, as a page for people.
enum BankPageText {
  /// The page, lines with LF; what the source does not say is left out, and what concerns branches stands for them only.
  static func of(_ entry: BankEntry, at moment: String?) -> String {
    let row = entry.location
    let isBranch = row.kind == .branch
    let region = [row.region, row.countryName].compactMap { $0 }.joined(separator: ", ")
    var fields: [(String, [String])] = [
      ("id", [row.id]), ("bank", [row.bank]), ("kind", [kind(row)]), ("address", [row.address]),
      (row.region == nil ? "country" : "region", [region]),
      (moment == nil ? "open now" : "open", [entry.open.rawValue + (moment.map { " at \($0)" } ?? "")]),
      ("hours", row.hours.map(WeekText.lines) ?? ["unknown"]), ("time zone", [row.zone]),
      ("availability", lines(row.availability)),
    ]
    if isBranch {
      fields += [
        ("info", lines(row.info)), ("cash", [row.noCash ? "no" : "yes"]),
        ("coin station", [row.coinStation ? "yes" : "no"]),
      ]
    }
    fields += [
      ("phone", lines(row.phone)), ("e-mail", lines(row.email)), ("web site", lines(row.website)),
      ("position", ["\(decimalText(row.lat)),\(decimalText(row.lon))"]),
    ]
    return ([row.title] + fields.flatMap(Self.layOut)).map { visible($0) + "\n" }.joined()
  }

  private static func kind(_ row: BankRow) -> String {
    guard row.kind == .unknown, let code = row.code else { return row.kind.rawValue }
    return "unknown (\(code) in the source)"
  }

  private static func lines(_ text: String?) -> [String] {
    text?.split(separator: "\n").map(String.init) ?? []
  }

  /// The name and the first line of a field, further lines below it.
  private static func layOut(_ name: String, _ lines: [String]) -> [String] {
    lines.enumerated().filter { !$0.element.isEmpty }.map { index, line in
      let head = index == 0 ? name : ""
      return "  " + head + String(repeating: " ", count: max(1, 14 - head.count)) + line
    }
  }
}
