import Base
import Geodesy

/// Locations as GeoJSON (RFC 7946): a `FeatureCollection` of points with properties.
///
/// ```json
/// {"type": "FeatureCollection", "features": [
///   {"type": "Feature", "id": 7, "geometry": {"type": "Point", "coordinates": [24.7456, 59.4274]},
///    "properties": {"kind": "branch", "name": "Liivalaia", "hours": "Mo-Fr 09:00-17:00"}}]}
/// ```
///
/// The longitude comes first. Properties are those of ``PlainLocation``; others are ignored. The feature's own `id`
/// overrides the property of that name.
struct GeoJSONFile: BankFile {
  private static let listKey = "features"

  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, BankRecord) -> Void) throws {
    try bytes.requireJSON(.object, of: "locations (a GeoJSON FeatureCollection)")
    let object = try SourceJSON.object(bytes) { $0 == Self.listKey || $0 == "type" }
    guard try object.text("type") == "FeatureCollection" else {
      throw RecordProblem("expected the type \"FeatureCollection\"")
    }
    for (index, value) in try object.require(try object.elements(Self.listKey), Self.listKey).enumerated() {
      take(
        index + 1,
        BankRecord(value) { (feature, remarks) throws(RecordProblem) in
          try Self.location(feature).location(in: place, &remarks)
        })
    }
  }

  private static func location(_ feature: LenientObject) throws(RecordProblem) -> PlainLocation {
    let geometry = try feature.require(try feature.object("geometry"), "geometry")
    guard try geometry.text("type") == "Point" else { throw RecordProblem("geometry.type: expected \"Point\"") }
    let coordinates = try geometry.require(try geometry.elements("coordinates"), "coordinates")
    // A third number is the altitude.
    guard (2...3).contains(coordinates.count), let longitude = number(coordinates[0]),
      let latitude = number(coordinates[1])
    else { throw RecordProblem("geometry.coordinates: expected longitude and latitude") }
    let properties = try feature.require(try feature.object("properties"), "properties")
    var values: [String: String] = [:]
    for name in PlainLocation.names {
      if let text = try properties.name(name)?.trimmingSpace, !text.isEmpty { values[name] = text }
    }
    if let id = try feature.name("id")?.trimmingSpace, !id.isEmpty { values["id"] = id }
    return PlainLocation(point: GeoPoint(latitude: latitude, longitude: longitude), values: values)
  }

  private static func number(_ value: JSONValue) -> Double? {
    if case .number(let number) = value { return number.double }
    return nil
  }
}
