import Banks

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

  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, Record) -> Void) throws {
    try bytes.requireJSON(.object, of: "locations")
    // The key of the list may have white space around it.
    let object = try SourceJSON.object(bytes) { $0.trimmingSpace == Self.listKey }
    for (index, value) in try object.require(try object.elements(Self.listKey), Self.listKey).enumerated() {
      take(index + 1) { (remarks) throws(RecordProblem) in
        try Self.location(LenientObject(value), in: place, &remarks)
      }
    }
  }

  private static func location(
    _ object: LenientObject, in place: BankPlace, _ remarks: inout [String]
  ) throws(RecordProblem) -> BankLocation {
    func text(_ key: String) -> String? { object.optionalText(key, &remarks) }
    let type = try object.require(try object.name("type"), "type")
    let kind = kind(type)
    if kind.category == .unknown {
      remarks.append("type \"\(type.excerpt(40))\" is not known; kept as an unknown kind")
    }
    let point = try object.require(try object.object("location"), "location").point("lat", "long")
    var location = BankLocation(
      bank: place.bank, sourceID: text("id").map { PlainLocation.id($0, of: place) }, kind: kind, name: text("name"),
      address: text("address") ?? "", country: place.country, point: point, zone: place.zone)
    (location.phone, location.email, location.website) = (text("phone"), text("email"), text("website"))
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

  /// The most entries of a list of hours; a week of 15-minute stretches has 672.
  private static let maximumEntries = 1_000

  /// The hours of a record; `nil` if they are unknown.
  ///
  /// Several entries per day are several stretches; one that closes before it opens closes on the next day. An empty
  /// list is a week without an open day.
  private static func hours(_ object: LenientObject) throws(RecordProblem) -> WeeklyHours? {
    guard let elements = try object.elements("working_hours") else { return nil }
    guard elements.count <= maximumEntries else {
      throw RecordProblem("\(elements.count) working hours, at most \(maximumEntries) are read")
    }
    var stretches: [WeeklyHours.Stretch] = []
    for (index, element) in elements.enumerated() {
      do throws(RecordProblem) {
        stretches.append(try stretch(LenientObject(element)))
      } catch {
        throw RecordProblem("working hours \(index + 1): \(error)")
      }
    }
    return WeeklyHours(stretches)
  }

  private static func stretch(_ entry: LenientObject) throws(RecordProblem) -> WeeklyHours.Stretch {
    var numbers: [Int] = []
    for key in ["day", "start_hours", "start_minutes", "end_hours", "end_minutes"] {
      numbers.append(try entry.require(try entry.whole(key), key))
    }
    let ranges = [
      ("the day", 0...6), ("the opening hour", 0...23), ("the opening minute", 0...59), ("the closing hour", 0...24),
      ("the closing minute", numbers[3] == 24 ? 0...0 : 0...59),
    ]
    for (number, (name, range)) in zip(numbers, ranges) where !range.contains(number) {
      throw RecordProblem("\(name) is from \(range.lowerBound) to \(range.upperBound), found \(number)")
    }
    let (opens, closes) = (60 * numbers[1] + numbers[2], 60 * numbers[3] + numbers[4])
    guard let stretch = WeeklyHours.Stretch(weekday: numbers[0], from: opens, to: closes) else {
      throw RecordProblem("it closes at the minute at which it opens, which could mean never or always")
    }
    return stretch
  }
}
