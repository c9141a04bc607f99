import Cities
import CitiesProtocol
import Text

/// A list of cities from a source: a JSON array of records or a GeoNames dump (``GeoNamesDump``), plain, gzip or zip.
///
/// ```json
/// [{"country": "UA", "name": "Hurzuf", "_id": 707860, "coord": {"lon": 34.283333, "lat": 44.549999},
///   "population": 8933, "region_code": "20", "timezone": "Europe/Simferopol", "alternatenames": ["Gurzuf", "Гурзуф"]}]
/// ```
///
/// `country`, `name`, `_id` and `coord` are required. `population`, `region_code`, `region`, `timezone` and
/// `alternatenames` may be missing or `null`; other keys are ignored, and the first of equal ones counts. Bad records
/// are noted and skipped. A source in another format, or damaged gzip or zip, is refused whole.
struct CityList {
  /// Records between two reports of progress.
  private static let reportInterval = 4096
  /// Most bytes of an unpacked dump: it is read in pieces, so only its cities need memory.
  static let maximumDumpBytes = 4 << 30

  /// The good cities.
  private(set) var builder = CityIndexBuilder()
  private(set) var notes: ImportNotes
  private let folder = CaseFolder()
  private var zones = SharedTexts()

  /// Reads the whole list, which messages call `name`; `progress` gets the part that is done.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/badData``.
  /// - Complexity: O(count of `bytes`, unpacked), in memory the text of a JSON list or the cities of a dump.
  init(_ bytes: [UInt8], name: String, progress: (Double) -> Void) throws(FeedError) {
    notes = ImportNotes(source: name)
    do {
      let source = try PackedSource(bytes, name: name)
      if GeoNamesDump.isDump(source.head) {
        try readDump(source, progress)
      } else {
        try readJSON(try source.unpack(limit: SourceFile.maximumBytes), progress)
      }
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was imported")
    }
  }

  private mutating func readJSON(_ json: [UInt8], _ progress: (Double) -> Void) throws(FeedError) {
    try json.requireJSON(.array, of: "cities")
    var lines = LineCounter(json)
    try SourceJSON.readRecords(json) { (scanner, position) throws(JSONFault) in
      if position % Self.reportInterval == 0 { progress(Double(scanner.offset) / Double(json.count)) }
      let record = try CityRecord(&scanner)
      take(at: position) { () throws(RecordProblem) in
        (try record.city(), record.details)
      } place: { offset in
        lines.place(at: offset)
      }
    }
  }

  private mutating func readDump(_ source: PackedSource, _ progress: (Double) -> Void) throws {
    var others = OtherPlaces()
    var lines = DumpLines()
    try source.forEachPiece(limit: Self.maximumDumpBytes) { piece, done in
      progress(done)
      lines.read(piece) { take($0, $1, &others) }
    }
    lines.finish { take($0, $1, &others) }
    others.note(in: &notes)
  }

  private mutating func take(_ line: GeoNamesDump.Line, _ number: Int, _ others: inout OtherPlaces) {
    if let reason = line.reasonToLeaveOut {
      notes.countRecord()
      others.add(reason, at: number)
    } else if !line.hasAllColumns, notes.skipped >= UInt64(ImportNotes.listed) {
      // Only counted: a small packed source may unpack to billions of such lines.
      notes.countRecord()
      notes.note(number, .skipped, "")
    } else {
      take(at: number) { () throws(RecordProblem) in
        (try line.city(), try line.details())
      } place: { offset in
        "at byte \(offset) (line \(number))"
      }
    }
  }

  /// Adds the record that `read` returns; `place` describes a byte's position in messages.
  private mutating func take(
    at position: Int, _ read: () throws(RecordProblem) -> (city: City, details: CityDetails), place: (Int) -> String
  ) {
    notes.countRecord()
    do throws(RecordProblem) {
      var (city, details) = try read()
      add(&city, &details, at: position)
    } catch {
      notes.note(position, .skipped, error.clause(place))
    }
  }

  private mutating func add(_ city: inout City, _ details: inout CityDetails, at position: Int) {
    // Refuse a text that is too long before composing it: 10 MB would be wasted work.
    if let problem = CityRule.problem(with: city) { return notes.note(position, .skipped, "\(problem)") }
    city.name = folder.composed(city.name)
    city.country = folder.composed(city.country)
    details.complete(&city, folder)
    city.zone = zones.shared(city.zone)
    do throws(CityProblem) {
      switch try builder.add(city) {
      case .kept: for remark in details.remarks { notes.remark(position, [remark]) }
      case .repeated:
        notes.note(position, .repeated, "the city with id \(city.id) is in an earlier record, with equal fields")
      case .joined:
        let other = "the city with id \(city.id) is in an earlier record"
        notes.note(position, .repeated, "\(other), which takes over other names, region and time zone")
      case .replaced:
        let other = "an earlier record of the city with id \(city.id) has another population"
        notes.note(position, .replaced, "\(other); the larger one is kept")
      }
    } catch {
      notes.note(position, .skipped, "\(error)")
    }
  }
}

/// Shares the storage of equal texts: a list has a few hundred time zones, named a quarter of a million times.
private struct SharedTexts {
  /// Most shared texts; further ones are stored separately.
  private static let maximum = 4_096
  private var texts: Set<TextKey> = []

  mutating func shared(_ text: String) -> String {
    if let index = texts.firstIndex(of: TextKey(text)) { return texts[index].text }
    if texts.count < Self.maximum { texts.insert(text) }
    return text
  }
}
