import Banks
import FoundationEssentials
import Geodesy

/// The file of the other bank: a JSON object with the locations in `data`.
///
/// ```json
/// {"data": [{"id": 1, "name": "Poslovnica 2", "address": "Armije BiH 3", "phone": "+387 35 555 555",
///   "email": "a@b.example", "website": "https://b.example/", "type": "branch", "location": {"lat": 44.5, "long": 18.6},
///   "working_hours": [{"day": 0, "start_hours": 9, "start_minutes": 30, "end_hours": 16, "end_minutes": 30}]}]}
/// ```
///
/// Only `type` and `location` must be there. A type that we do not know is kept as an unknown kind, and remarked on. Without `working_hours` it is unknown when a location is open; a day that
/// they leave out is closed. Hours that cannot be are remarked on, and the location is kept without any.
struct ImaginaryFile: BankFile {
  let listKey: String? = "data"

  func records(in bytes: [UInt8], of place: BankPlace) throws -> [BankRecord] {
    try bytes.requireJSON(.object, of: "locations")
    let file = try bytes.decoded(ListElement<ImaginaryList>.self, by: JSONDecoder()).result.get()
    return file.records.map { record in
      BankRecord(record, remarks: \.remarks) { $0.location(in: place) }
    }
  }
}

/// The whole file.
private struct ImaginaryList: FileRecord {
  let records: [Result<ImaginaryRecord, RecordProblem>]

  init(_ object: TidyObject) throws(RecordProblem) {
    records = try object.require(try object.records(ImaginaryRecord.self, "data"), "data")
  }
}

/// One location, with the file's names.
private struct ImaginaryRecord: FileRecord {
  private let id: String?
  private let name: String?
  private let address: String?
  private let phone: String?
  private let email: String?
  private let website: String?
  private let kind: LocationKind
  private let point: GeoPoint
  private let hours: WeeklyHours?
  let remarks: [String]

  init(_ object: TidyObject) throws(RecordProblem) {
    id = try object.name("id")
    (name, address) = (try object.text("name"), try object.text("address"))
    phone = try object.text("phone")
    (email, website) = (try object.text("email"), try object.text("website"))
    let type = try object.require(try object.name("type"), "type")
    kind = Self.kind(type)
    var remarks = kind.category == .unknown ? ["type \"\(type.prefix(40))\" is not known; kept as an unknown kind"] : []
    let place = try object.require(try object.object("location"), "location")
    point = GeoPoint(
      latitude: try place.require(try place.number("lat"), "lat"),
      longitude: try place.require(try place.number("long"), "long"))
    do throws(RecordProblem) {
      hours = try Self.hours(object)
    } catch {
      hours = nil
      remarks.append("\(error); when it is open is unknown")
    }
    self.remarks = remarks
  }

  /// The kind that a type's word stands for; a number is kept as the code of an unknown kind.
  private static func kind(_ type: String) -> LocationKind {
    switch type.lowercased().trimmingBlanks {
    case "branch": .branch
    case "atm": .atm
    case let word: .unknown(Int(word))
    }
  }

  private static func hours(_ object: TidyObject) throws(RecordProblem) -> WeeklyHours? {
    guard let read = try object.records(HoursEntry.self, "working_hours") else { return nil }
    var entries: [HoursEntry] = []
    for (index, entry) in read.enumerated() {
      do throws(RecordProblem) {
        entries.append(try entry.get())
      } catch {
        throw RecordProblem("working hours \(index + 1): \(error)")
      }
    }
    do throws(HoursProblem) { return try WeeklyHours(entries: entries) } catch { throw RecordProblem("\(error)") }
  }

  func location(in place: BankPlace) -> BankLocation {
    var location = BankLocation(
      bank: place.bank, sourceID: id, kind: kind, name: name, address: address ?? "", country: place.country,
      point: point, zone: place.zone)
    (location.phone, location.email, location.website) = (phone, email, website)
    location.hours = hours
    return location
  }
}

extension HoursEntry: FileRecord {
  init(_ object: TidyObject) throws(RecordProblem) {
    func number(_ key: String) throws(RecordProblem) -> Int { try object.require(try object.whole(key), key) }
    self.init(
      day: try number("day"), startHours: try number("start_hours"), startMinutes: try number("start_minutes"),
      endHours: try number("end_hours"), endMinutes: try number("end_minutes"))
  }
}
