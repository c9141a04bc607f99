import Geodesy

/// Places in the JSON of the Overpass API for OpenStreetMap (`out:json`): nodes, ways and relations with tags.
///
/// ```json
/// {"elements": [{"type": "node", "id": 7, "lat": 59.4, "lon": 24.7, "tags": {"amenity": "bank"}},
///   {"type": "way", "id": 8, "center": {"lat": 59.4, "lon": 24.7}, "tags": {"amenity": "atm"}}]}
/// ```
///
/// A way or a relation is at its `center`, or else at the centre of the box of its `bounds`, of its `geometry`, or of
/// its nodes or members in the same list. Elements without tags are parts of others.
struct OverpassElements {
  private let elements: [JSONValue]
  /// The positions of nodes and ways, by type and id.
  private var points: [TextKey: GeoPoint] = [:]

  init(_ elements: [JSONValue]) {
    self.elements = elements
    for type in ["node", "way"] {
      for value in elements {
        guard let element = try? LenientObject(value), (try? element.text("type")).flatMap(\.self).is(type),
          let id = try? element.whole("id"), let point = try? position(of: element)
        else { continue }
        points[TextKey("\(type)/\(id)")] = point
      }
    }
  }

  /// Calls `take` with each place: its position in the list from 1, and the element.
  func forEachPlace(_ take: (Int, JSONValue) -> Void) {
    for (index, value) in elements.enumerated() {
      if case .object(let members) = value, !members.contains(where: { $0.key == "tags" }) { continue }
      take(index + 1, value)
    }
  }

  /// The place of an element of the list.
  ///
  /// - Throws: ``RecordProblem`` if its position is not known, or its tags name no kind of place.
  func location(_ element: LenientObject, _ remarks: inout [String]) throws(RecordProblem) -> PlainLocation {
    let tags = try element.require(try element.object("tags"), "tags")
    guard let point = try position(of: element) else {
      throw RecordProblem("the element has neither a position nor a center")
    }
    var location = try PlainLocation(point: point) { tags.optionalText($0, &remarks) }
    if let type = try element.text("type"), let id = try element.whole("id") { location["id"] = "\(type)/\(id)" }
    return location
  }

  private func position(of element: LenientObject) throws(RecordProblem) -> GeoPoint? {
    if let point = try element.position { return point }
    if let point = try element.object("center")?.position { return point }
    var box = EnclosingBox()
    if let bounds = try element.object("bounds") {
      for (lat, lon) in [("minlat", "minlon"), ("maxlat", "maxlon")] {
        box.add(try bounds.position(lat, lon))
      }
    }
    for value in try element.elements("geometry") ?? [] { box.add(try? LenientObject(value).position) }
    for case .number(let number) in try element.elements("nodes") ?? [] {
      box.add(points[TextKey("node/\(number.text)")])
    }
    for value in try element.elements("members") ?? [] {
      guard let member = try? LenientObject(value) else { continue }
      let known = (try? position(of: member)).flatMap(\.self)
      if let type = try? member.text("type"), let id = try? member.whole("ref") {
        box.add(known ?? points[TextKey("\(type)/\(id)")])
      }
    }
    return box.centre
  }
}

/// The smallest box around points, none of them beyond the antimeridian.
struct EnclosingBox {
  private var corners: (south: Double, west: Double, north: Double, east: Double)?

  mutating func add(_ point: GeoPoint?) {
    guard let point else { return }
    let (lat, lon) = (point.latitude, point.longitude)
    let known = corners ?? (lat, lon, lat, lon)
    corners = (min(known.south, lat), min(known.west, lon), max(known.north, lat), max(known.east, lon))
  }

  /// `nil` for no points.
  var centre: GeoPoint? {
    corners.map { GeoPoint(latitude: ($0.south + $0.north) / 2, longitude: ($0.west + $0.east) / 2) }
  }
}

extension LenientObject {
  /// The members `lat` and `lon`.
  fileprivate var position: GeoPoint? { get throws(RecordProblem) { try position("lat", "lon") } }

  fileprivate func position(_ lat: String, _ lon: String) throws(RecordProblem) -> GeoPoint? {
    guard let latitude = try coordinate(lat), let longitude = try coordinate(lon) else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }
}
