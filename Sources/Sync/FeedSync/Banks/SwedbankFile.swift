import Banks
import FoundationEssentials
import Geodesy

/// A finder file of Swedbank: a JSON array.
///
/// ```json
/// [{"lat": 59.427361, "lon": 24.745628, "n": "LIIVALAIA", "a": "LIIVALAIA 8, 15040 TALLINN", "t": 0, "cs": true,
///   "r": "Kesklinna linnaosa", "av": "E-R 9.00-17.00", "i": "…", "ncash": 1}]
/// ```
///
/// Only `lat`, `lon` and `t` must be there. A type that we do not know is kept as such. `ncash` and `cs` are written in
/// several ways; what is none of them is remarked on and taken as absent, which loses less than the whole record. `av` is
/// kept as it is, and read as opening hours in the language of the feed's country where all of it is understood.
struct SwedbankFile: BankFile {
  let listKey: String? = nil

  func records(in bytes: [UInt8], of place: BankPlace) throws -> [BankRecord] {
    try bytes.requireJSON(.array, of: "locations")
    return try bytes.decoded([ListElement<SwedbankRecord>].self, by: JSONDecoder()).map { element in
      BankRecord(element.result, remarks: \.remarks) { $0.location(in: place) }
    }
  }
}

/// One location, with the file's names behind the fields.
private struct SwedbankRecord: FileRecord {
  private let point: GeoPoint
  private let kind: LocationKind
  private let name: String?
  private let address: String?
  private let region: String?
  private let availability: String?
  private let info: String?
  private let noCash: Bool?
  private let coinStation: Bool?

  init(_ object: TidyObject) throws(RecordProblem) {
    point = GeoPoint(
      latitude: try object.require(try object.number("lat"), "lat"),
      longitude: try object.require(try object.number("lon"), "lon"))
    kind = LocationKind(code: try object.require(try object.whole("t"), "t"))
    (name, address) = (try object.text("n"), try object.text("a"))
    region = try object.text("r")
    (availability, info) = (try object.text("av"), try object.text("i"))
    (noCash, coinStation) = (object.flag("ncash"), object.flag("cs"))
  }

  var remarks: [String] {
    [("ncash", noCash), ("cs", coinStation)].filter { $0.1 == nil }
      .map { "\($0.0) is neither true nor false, and taken as false" }
  }

  func location(in place: BankPlace) -> BankLocation {
    var location = BankLocation(
      bank: place.bank, kind: kind, name: name, address: address ?? "", region: region, country: place.country,
      point: point, zone: place.zone)
    (location.availability, location.info) = (availability, info)
    (location.noCash, location.coinStation) = (noCash ?? false, coinStation ?? false)
    location.hours = availability.flatMap {
      WeeklyHours(availability: $0, language: HoursLanguage(country: place.country))
    }
    return location
  }
}
