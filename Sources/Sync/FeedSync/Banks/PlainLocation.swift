import Banks
import Geodesy
import Resident
import Text

/// A location as named values: the columns of a CSV row, or the properties of a GeoJSON feature.
///
/// The kind and the coordinates are required; everything else may be missing or empty. Values have the names of this
/// product, or the usual ones of OpenStreetMap, All The Places and spreadsheets.
struct PlainLocation {
  /// The names of each value; the first that is there counts.
  private static let names: [(value: String, names: [String])] = [
    ("id", ["id", "@id", "ref"]), ("kind", ["kind", "amenity", "type"]),
    ("name", ["name", "branch_name", "name:en", "operator", "brand"]),
    ("address", ["address", "addr:full"]), ("street", ["addr:street_address", "addr:street"]),
    ("number", ["addr:housenumber"]), ("postcode", ["addr:postcode"]), ("city", ["addr:city", "city"]),
    ("region", ["region", "addr:city", "addr:state"]), ("country", ["addr:country", "country"]),
    ("phone", ["phone", "contact:phone", "telephone", "phone_number"]),
    ("email", ["email", "e-mail", "contact:email"]),
    ("website", ["website", "web_site", "contact:website", "url"]),
    ("hours", ["hours", "opening_hours", "working_hours"]), ("availability", ["availability"]),
    ("info", ["info", "description"]), ("holiday_hours", ["holiday_hours"]), ("code", ["code"]),
    ("cash_in", ["cash_in"]), ("no_cash", ["no_cash"]), ("coin_station", ["coin_station"]),
  ]

  /// The names of truth values.
  static let flags = ["cash_in", "no_cash", "coin_station"]

  /// The latitude and longitude, in degrees.
  let point: GeoPoint
  /// The values by name, without empty ones.
  private var values: [String: String] = [:]
  /// The hours, if they were not a text.
  var hours: WeeklyHours?

  /// Takes the values that `read` finds under their names.
  init(point: GeoPoint, _ read: (String) throws(RecordProblem) -> String?) throws(RecordProblem) {
    self.point = point
    for (value, names) in Self.names {
      for name in names where values[value] == nil {
        if let text = try read(name)?.trimmingSpace, !text.isEmpty { values[value] = text }
      }
    }
  }

  subscript(value: String) -> String? {
    get { values[value] }
    set { values[value] = newValue }
  }

  /// Whether `name` is one of a value.
  static func isName(_ name: String) -> Bool { names.contains { $0.names.contains(name) } }

  /// The location in `place`; oddities are added to `remarks`.
  ///
  /// - Throws: ``RecordProblem`` if the kind is missing.
  func location(in place: BankPlace, _ remarks: inout [String]) throws(RecordProblem) -> BankLocation {
    guard let word = values["kind"] else { throw RecordProblem("kind is missing") }
    let kind = kind(word)
    if kind.category == .unknown, values["code"] == nil, word != LocationCategory.unknown.rawValue {
      remarks.append("kind \"\(word.excerpt(40))\" is not known; kept as an unknown kind")
    }
    var location = BankLocation(
      bank: place.bank, sourceID: values["id"].map { Self.id($0, of: place) }, kind: kind, name: values["name"],
      address: values["address"] ?? address, region: values["region"], country: country(place, &remarks), point: point,
      zone: place.zone)
    (location.phone, location.email, location.website) = (values["phone"], values["email"], values["website"])
    (location.availability, location.info) = (values["availability"] ?? values["hours"], values["info"])
    (location.noCash, location.coinStation) = (isTrue("no_cash"), isTrue("coin_station"))
    location.hours = hours
    if hours == nil, let text = values["hours"] {
      location.hours = Self.hours(text, holidays: values["holiday_hours"], place)
      if location.hours == nil {
        remarks.append("hours \"\(text.excerpt(80))\" cannot be read; its state is unknown")
      }
    }
    return location
  }

  private func isTrue(_ name: String) -> Bool { ["true", "yes", "1"].contains((values[name] ?? "").lowercased()) }

  private func kind(_ word: String) -> LocationKind {
    switch word.lowercased() {
    case "branch", "bank": .branch
    case "atm": isTrue("cash_in") ? .bna : .atm
    case "bna": .bna
    case let word: .unknown(Int(values["code"] ?? word))
    }
  }

  /// The parts of an address: `Liivalaia 8, 15040 Tallinn`.
  private var address: String {
    let parts = [["street", "number"], ["postcode", "city"]]
    return parts.map { $0.compactMap { values[$0] }.joined(separator: " ") }.filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// The place's own country, if it is a code or the name of one country, else that of the feed.
  private func country(_ place: BankPlace, _ remarks: inout [String]) -> String {
    guard let own = values["country"] else { return place.country }
    let code = own.uppercased()
    if CountryName[code] != nil { return code }
    // The European Union writes EL for Greece.
    let named = code == "EL" ? ["GR"] : CountryName.codes(called: own)
    if named.count == 1 { return named[0] }
    if own.utf8.count == 2, own.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) { return code }
    remarks.append("country \"\(own.excerpt(40))\" is neither the code nor the name of a country; it is ignored")
    return place.country
  }

  /// The id of a source in the form of this product: any other has a hash of it.
  ///
  /// The name of the bank before it, as in ids that this product printed, is left out.
  static func id(_ id: String, of place: BankPlace) -> String {
    let own = id.hasPrefix("\(place.bank)-") ? String(id.dropFirst(place.bank.count + 1)) : id
    if BankRule.isID(own) { return own }
    let bytes = Array(own.utf8)
    let shown = bytes.prefix(40).map { BankRule.isID(String(UnicodeScalar($0))) ? UnicodeScalar($0) : "-" }
    let hash = String(bytes.withUnsafeBytes { XXH64.hash(of: $0) }, radix: 16)
    return String(String.UnicodeScalarView(shown)) + "-" + hash
  }

  private static func hours(_ text: String, holidays: String?, _ place: BankPlace) -> WeeklyHours? {
    let isNamed = text.utf8.firstRange(of: "PH".utf8) != nil
    let whole = holidays.map { isNamed ? text : "\(text); PH \($0)" } ?? text
    return DayRanges.hours(whole, isOwn: holidays != nil)
      ?? WeeklyHours(availability: text, language: HoursLanguage(country: place.country))
  }
}

extension Double {
  /// A coordinate as text, with a point or a comma; `nil` if it is not a number.
  init?(coordinate text: String) {
    let text = text.trimmingSpace
    // `Double` also accepts 0x1p3 and nan.
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ "0123456789+-.,eE".utf8.contains($0) }) else { return nil }
    self.init(text.withDecimalPoint)
  }
}
