import Base
import Cities
import Text

/// The list of cities as it comes from outside: a JSON array of records, plain or packed with gzip.
///
/// ```json
/// [{"country": "UA", "name": "Hurzuf", "_id": 707860, "coord": {"lon": 34.283333, "lat": 44.549999}, "population": 8933}]
/// ```
///
/// `population` may be missing or `null`; other keys are ignored, and the first of equal ones counts. Bad records are noted
/// and skipped. A source that is not a JSON array, or not sound gzip, is refused whole.
struct CityList {
  /// Records between two reports of progress.
  private static let reportInterval = 4096

  /// The good cities.
  private(set) var builder = CityIndexBuilder()
  /// The records that are not kept.
  private(set) var notes: ImportNotes
  private let folder = CaseFolder()
  private var lines: LineCounter

  /// Reads the whole list, which messages call `name`; `progress` gets the part that is done.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/badData``.
  /// - Complexity: O(count of `bytes`).
  init(_ bytes: [UInt8], name: String, progress: (Double) -> Void) throws(FeedError) {
    notes = ImportNotes(source: name)
    do {
      let json = Gzip.isPacked(bytes) ? try Gzip.unpack(bytes, limit: SourceFile.maximumBytes) : bytes
      lines = LineCounter(json)
      try json.requireJSON(.array, of: "cities")
      try SourceJSON.readRecords(json) { (scanner, position) throws(JSONFault) in
        if position % Self.reportInterval == 0 { progress(Double(scanner.offset) / Double(json.count)) }
        take(try CityRecord(&scanner), at: position)
      }
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was taken from it")
    }
  }

  private mutating func take(_ record: CityRecord, at position: Int) {
    notes.countRecord()
    do throws(RecordProblem) {
      add(try record.city(), at: position)
    } catch {
      notes.skip(position, error.clause(&lines))
    }
  }

  private mutating func add(_ city: City, at position: Int) {
    var city = city
    // A text that is too long is refused before it is worked on: composing 10 MB to refuse it would be work for nothing.
    if let problem = CityRule.problem(with: city) { return notes.skip(position, "\(problem)") }
    city.name = folder.composed(city.name)
    city.country = folder.composed(city.country)
    do throws(CityProblem) {
      switch try builder.add(city) {
      case .kept: break
      case .repeated:
        notes.repeat(position, "the city with id \(city.id) stands in an earlier record, all fields equal")
      case .replaced:
        let other = "an earlier record of the city with id \(city.id) has another population"
        notes.replace(position, "\(other); the larger stands")
      }
    } catch {
      notes.skip(position, "\(error)")
    }
  }
}

/// One element of the list, as it is written.
private struct CityRecord {
  private var kind = JSONKind.object
  private var coordinateKind: JSONKind?
  private var id = JSONField.missing
  private var name = JSONField.missing
  private var country = JSONField.missing
  private var latitude = JSONField.missing
  private var longitude = JSONField.missing
  private var population = JSONField.missing

  /// Reads the next value, of any kind.
  init(_ scanner: inout JSONScanner) throws(JSONFault) {
    kind = try scanner.peek()
    guard kind == .object else {
      try scanner.skipValue()
      return
    }
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      if key == "_id" {
        try scanner.readField(into: &id)
      } else if key == "name" {
        try scanner.readField(into: &name)
      } else if key == "country" {
        try scanner.readField(into: &country)
      } else if key == "population" {
        try scanner.readField(into: &population)
      } else if key == "coord" {
        try readCoordinates(&scanner)
      } else {
        try scanner.skipValue()
      }
    }
  }

  private mutating func readCoordinates(_ scanner: inout JSONScanner) throws(JSONFault) {
    let kind = try scanner.peek()
    guard coordinateKind == nil, kind == .object else {
      if coordinateKind == nil { coordinateKind = kind }
      return try scanner.skipValue()
    }
    coordinateKind = kind
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      if key == "lat" {
        try scanner.readField(into: &latitude)
      } else if key == "lon" {
        try scanner.readField(into: &longitude)
      } else {
        try scanner.skipValue()
      }
    }
  }

  /// The city that the record describes.
  ///
  /// - Throws: ``RecordProblem`` with the first field that is wrong.
  func city() throws(RecordProblem) -> City {
    guard kind == .object else { throw RecordProblem("the record is \(kind == .null ? "null" : "not an object")") }
    switch coordinateKind {
    case nil: throw RecordProblem("coord is missing")
    case .null: throw RecordProblem("coord is null")
    case .object: break
    default: throw RecordProblem("coord is not an object")
    }
    return City(
      id: try Self.number(id, "_id") { $0.wholeValue(UInt64.self) },
      name: try Self.text(name, "name"), country: try Self.text(country, "country"),
      latitude: try Self.number(latitude, "coord.lat", \.double),
      longitude: try Self.number(longitude, "coord.lon", \.double),
      population: population == .missing || population == .null
        ? nil : try Self.number(population, "population") { $0.wholeValue(UInt64.self) })
  }

  private static func text(_ field: JSONField, _ key: String) throws(RecordProblem) -> String {
    switch field {
    case .text(let text): return text
    case .invalidText(let offset): throw .invalidText(key, at: offset)
    case .missing: throw RecordProblem("\(key) is missing")
    case .null: throw RecordProblem("\(key) is null")
    default: throw RecordProblem("\(key) is not a text")
    }
  }

  private static func number<Number>(
    _ field: JSONField, _ key: String, _ value: (JSONNumber) -> Number?
  ) throws(RecordProblem) -> Number {
    switch field {
    case .number(let number):
      guard let value = value(number) else { throw RecordProblem("\(key): the number is out of range") }
      return value
    case .missing: throw RecordProblem("\(key) is missing")
    case .null: throw RecordProblem("\(key) is null")
    default: throw RecordProblem("\(key) is not a number")
    }
  }
}
