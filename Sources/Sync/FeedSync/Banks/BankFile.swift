import Banks

/// An upstream format of locations; each has a conforming type.
protocol BankFile: Sendable {
  /// Reads a record, and adds remarks on one that is kept; throws if it is bad.
  typealias Record = (inout [String]) throws(RecordProblem) -> BankLocation

  /// Calls `take` with every record in file order, good or bad; positions count from 1.
  ///
  /// - Throws: ``FeedError`` or ``RecordProblem`` if the file has another format.
  /// - Complexity: O(count of `bytes`).
  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, Record) -> Void) throws
}

/// The part of a feed's configuration that its locations need: files name no bank, country or time zone.
struct BankPlace: Equatable, Sendable {
  /// The bank's name in ids and filters, which is the feed's name.
  var bank: String
  var country: String
  /// The time zone of the hours.
  var zone: String
}

/// A finder file of Swedbank: a JSON array.
///
/// ```json
/// [{"lat": 59.427361, "lon": 24.745628, "n": "LIIVALAIA", "a": "LIIVALAIA 8, 15040 TALLINN", "t": 0, "cs": true,
///   "r": "Kesklinna linnaosa", "av": "E-R 9.00-17.00", "i": "…", "ncash": 1}]
/// ```
///
/// Only `lat`, `lon` and `t` must be there. An unknown type is kept as such. `ncash` and `cs` have several spellings;
/// any other value of an optional field is remarked on and ignored, which loses less than the whole record. `av` is
/// kept verbatim, and also parsed as opening hours in the language of the feed's country if all of it is understood.
struct SwedbankFile: BankFile {
  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, Record) -> Void) throws {
    try bytes.requireJSON(.array, of: "locations")
    try SourceJSON.readRecords(bytes) { (scanner, position) throws(JSONFault) in
      let value = try scanner.readValue()
      take(position) { (remarks) throws(RecordProblem) in
        try Self.location(LenientObject(value), in: place, &remarks)
      }
    }
  }

  private static func location(
    _ object: LenientObject, in place: BankPlace, _ remarks: inout [String]
  ) throws(RecordProblem) -> BankLocation {
    let point = try object.point("lat", "lon")
    let kind = LocationKind(code: try object.require(try object.whole("t"), "t"))
    func text(_ key: String) -> String? { object.optionalText(key, &remarks) }
    var location = BankLocation(
      bank: place.bank, kind: kind, name: text("n"), address: text("a") ?? "", region: text("r"),
      country: place.country, point: point, zone: place.zone)
    (location.availability, location.info) = (text("av"), text("i"))
    func flag(_ key: String) -> Bool {
      if let flag = object.flag(key) { return flag }
      remarks.append("\(key) is neither true nor false, and taken as false")
      return false
    }
    (location.noCash, location.coinStation) = (flag("ncash"), flag("cs"))
    location.hours = location.availability.flatMap {
      WeeklyHours(availability: $0, language: HoursLanguage(country: place.country))
    }
    return location
  }
}
