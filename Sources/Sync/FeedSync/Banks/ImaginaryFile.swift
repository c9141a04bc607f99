import Banks
import Base
import Geodesy

/// The file of the other bank: a JSON object with the locations in `data`.
///
/// ```json
/// {"data": [{"id": 1, "name": "Poslovnica 2", "address": "Armije BiH 3", "phone": "+387 35 555 555",
///   "email": "a@b.example", "website": "https://b.example/", "type": "branch",
///   "location": {"lat": 44.5, "long": 18.6},
///   "working_hours": [{"day": 0, "start_hours": 9, "start_minutes": 30, "end_hours": 16, "end_minutes": 30}]}]}
/// ```
///
/// Only `type` and `location` are required. An unknown type is kept as an unknown kind, and remarked on. Without
/// `working_hours` the hours are unknown; a day missing from them is closed. Impossible hours are remarked on, and the
/// location is kept without any.
struct ImaginaryFile: BankFile {
  private static let listKey = "data"

  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, BankRecord) -> Void) throws {
    try bytes.requireJSON(.object, of: "locations")
    // The key of the list may have white space around it.
    let object = try SourceJSON.object(bytes) { $0.trimmingSpace == Self.listKey }
    for (index, value) in try object.require(try object.elements(Self.listKey), Self.listKey).enumerated() {
      take(
        index + 1,
        BankRecord(value) { (object, remarks) throws(RecordProblem) in try Self.location(object, in: place, &remarks) })
    }
  }

  private static func location(
    _ object: LenientObject, in place: BankPlace, _ remarks: inout [String]
  ) throws(RecordProblem) -> BankLocation {
    let id = try object.name("id")
    let (name, address) = (try object.text("name"), try object.text("address"))
    let (phone, email, website) = (try object.text("phone"), try object.text("email"), try object.text("website"))
    let type = try object.require(try object.name("type"), "type")
    let kind = kind(type)
    if kind.category == .unknown {
      remarks.append("type \"\(type.excerpt(40))\" is not known; kept as an unknown kind")
    }
    let coordinates = try object.require(try object.object("location"), "location")
    let point = GeoPoint(
      latitude: try coordinates.require(try coordinates.number("lat"), "lat"),
      longitude: try coordinates.require(try coordinates.number("long"), "long"))
    var location = BankLocation(
      bank: place.bank, sourceID: id, kind: kind, name: name, address: address ?? "", country: place.country,
      point: point, zone: place.zone)
    (location.phone, location.email, location.website) = (phone, email, website)
    do throws(RecordProblem) {
      location.hours = try hours(object)
    } catch {
      remarks.append("\(error); its state is unknown")
    }
    return location
  }

  /// The kind named by `type`; a number is kept as the code of an unknown kind.
  private static func kind(_ type: String) -> LocationKind {
    switch type.lowercased().trimmingSpace {
    case "branch": .branch
    case "atm": .atm
    case let word: .unknown(Int(word))
    }
  }

  private static func hours(_ object: LenientObject) throws(RecordProblem) -> WeeklyHours? {
    guard let elements = try object.elements("working_hours") else { return nil }
    var entries: [HoursEntry] = []
    for (index, element) in elements.enumerated() {
      do throws(RecordProblem) {
        entries.append(try HoursEntry(LenientObject(element)))
      } catch {
        throw RecordProblem("working hours \(index + 1): \(error)")
      }
    }
    do throws(HoursProblem) { return try WeeklyHours(entries: entries) } catch { throw RecordProblem("\(error)") }
  }
}

extension HoursEntry {
  fileprivate init(_ object: LenientObject) throws(RecordProblem) {
    func number(_ key: String) throws(RecordProblem) -> Int { try object.require(try object.whole(key), key) }
    self.init(
      day: try number("day"), startHours: try number("start_hours"), startMinutes: try number("start_minutes"),
      endHours: try number("end_hours"), endMinutes: try number("end_minutes"))
  }
}
