import Banks
import Geodesy

/// Locations as GeoJSON (RFC 7946): a `FeatureCollection` of places with properties.
///
/// ```json
/// {"type": "FeatureCollection", "features": [
///   {"type": "Feature", "id": 7, "geometry": {"type": "Point", "coordinates": [24.7456, 59.4274]},
///    "properties": {"kind": "branch", "name": "Liivalaia", "hours": "Mo-Fr 09:00-17:00"}}]}
/// ```
///
/// The features may also be a sequence (RFC 8142), one in each line; and ``OverpassElements`` are read in their place.
///
/// The longitude comes first. A line or an area, such as a way of OpenStreetMap, is at the centre of its box.
/// Properties are those of ``PlainLocation``; others are ignored. The feature's own `id` overrides the property of that
/// name.
struct GeoJSONFile: BankFile {
  private static let listKey = "features"

  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, Record) -> Void) throws {
    if let lines = Self.sequence(bytes) {
      for (index, line) in lines.enumerated() {
        take(index + 1) { (remarks) throws(RecordProblem) in
          try Self.location(LenientObject(Self.feature(in: line)), &remarks).location(in: place, &remarks)
        }
      }
      return
    }
    try bytes.requireJSON(.object, of: "locations (a GeoJSON FeatureCollection)")
    let object = try SourceJSON.object(bytes) { [Self.listKey, "type", "elements", "remark"].contains($0) }
    if let elements = try object.elements("elements") {
      // A query that ran out of time or memory is answered with what it has found.
      if let remark = try object.text("remark") {
        throw FeedError(.badData, "the answer of the Overpass API is not whole: \(remark.excerpt(120))")
      }
      let elements = OverpassElements(elements)
      elements.forEachPlace { position, value in
        take(position) { (remarks) throws(RecordProblem) in
          try elements.location(LenientObject(value), &remarks).location(in: place, &remarks)
        }
      }
      return
    }
    guard try object.text("type").is("FeatureCollection") else {
      throw RecordProblem("expected the type \"FeatureCollection\"")
    }
    for (index, value) in try object.require(try object.elements(Self.listKey), Self.listKey).enumerated() {
      take(index + 1) { (remarks) throws(RecordProblem) in
        try Self.location(LenientObject(value), &remarks).location(in: place, &remarks)
      }
    }
  }

  /// The lines of a sequence of features, with or without a record separator before each; `nil` for other text.
  private static func sequence(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
    func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0x1E }
    let first = bytes.drop(while: isEnd).prefix { !isEnd($0) }
    // A list in one line is as long as all features.
    guard first.prefix(256).firstRange(of: "FeatureCollection".utf8) == nil,
      let object = try? SourceJSON.object(Array(first), { $0 == "type" }),
      (try? object.text("type")).flatMap(\.self).is("Feature")
    else { return nil }
    return bytes.split(whereSeparator: isEnd)
  }

  /// The feature in a line: broken JSON is a fault of that line alone.
  private static func feature(in line: ArraySlice<UInt8>) throws(RecordProblem) -> JSONValue {
    do throws(JSONFault) {
      return try SourceJSON.scan(Array(line)) { (scanner) throws(JSONFault) in try scanner.readValue() }
    } catch {
      throw RecordProblem("the JSON is broken: \(error.clause)")
    }
  }

  private static func location(
    _ feature: LenientObject, _ remarks: inout [String]
  ) throws(RecordProblem) -> PlainLocation {
    let geometry = try feature.require(try feature.object("geometry"), "geometry")
    let key = try geometry.elements("geometries") == nil ? "coordinates" : "geometries"
    let coordinates = try geometry.require(try geometry.elements(key), key)
    let isPoint = try geometry.text("type").is("Point")
    guard let point = isPoint ? position(coordinates) : centre(of: .array(coordinates)) else {
      throw RecordProblem("geometry.\(key): expected longitude and latitude")
    }
    let properties = try feature.require(try feature.object("properties"), "properties")
    let listed = hours(properties)
    var location = try PlainLocation(point: point) { (name) throws(RecordProblem) in
      if listed != nil, ["hours", "holiday_hours"].contains(name) { return nil }
      if PlainLocation.flags.contains(name), let flag = properties.flag(name) { return flag ? "yes" : nil }
      return properties.optionalText(name, &remarks)
    }
    location.hours = listed
    if let id = feature.optionalText("id", &remarks)?.trimmingSpace, !id.isEmpty { location["id"] = id }
    return location
  }

  /// The position of a point; a third number is the altitude.
  private static func position(_ coordinates: [JSONValue]) -> GeoPoint? {
    guard (2...3).contains(coordinates.count), let longitude = coordinates[0].coordinate,
      let latitude = coordinates[1].coordinate
    else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  /// The centre of the box around all points of a line or area.
  private static func centre(of value: JSONValue) -> GeoPoint? {
    var box = EnclosingBox()
    func add(_ value: JSONValue) {
      if case .object(let members) = value { return members.forEach { add($0.value) } }
      guard case .array(let elements) = value else { return }
      guard let point = position(elements) else { return elements.forEach(add) }
      box.add(point)
    }
    add(value)
    return box.centre
  }

  /// Hours in the form in which this product prints them, as periods by day.
  private static func hours(_ properties: LenientObject) -> WeeklyHours? {
    guard let week = try? properties.elements("hours") else { return nil }
    let holidays = try? properties.elements("holiday_hours")
    func stretch(_ value: JSONValue, day: Int?) -> WeeklyHours.Stretch? {
      guard let object = try? LenientObject(value), let opens = try? object.whole("opens"),
        let closes = try? object.whole("closes"), let day = try? day ?? object.whole("day")
      else { return nil }
      return WeeklyHours.Stretch(weekday: day, opens: opens, closes: closes)
    }
    let stretches = week.map { stretch($0, day: nil) } + (holidays ?? []).map { stretch($0, day: 7) }
    guard !stretches.contains(nil) else { return nil }
    let closed = try? properties.elements("closed_days")?.map { value -> ClosedDay? in
      if case .string(let text) = value { ClosedDay(text) } else { nil }
    }
    guard closed?.contains(nil) != true else { return nil }
    return WeeklyHours(
      stretches.compactMap(\.self), namesHolidays: holidays != nil, closedDays: (closed ?? []).compactMap(\.self))
  }
}
