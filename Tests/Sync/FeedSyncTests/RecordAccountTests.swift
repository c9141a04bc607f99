import Banks
import Cities
import CitiesProtocol
import FrameService
import Money
import Resident
import System
import TestSupport
import Testing

@testable import FeedSync

/// No record of a source may vanish: each one that is read is kept, repeated, replaced or skipped, and each kept one is
/// what the server finds in the resident file.
@Suite("The account of records")
struct RecordAccountTests {
  private static let feeds = FeedName.all + [OwnFeeds.points, OwnFeeds.table]
  private static let cities: [String] = [
    record(1, "Aachen"), record(1, "Aachen", country: ""), record(2, "Paris", country: "FR"),
    record(2, "Paris", lat: "3"),
    String(record(2, "Paris", country: "FR").dropLast()) + ",\"population\":7}",
    record(3, "Reval", adding: #""alternatenames":["Tallinn","TLL"],"region_code":"01","timezone":"Europe/Tallinn""#),
    record(3, "Reval", adding: #""alternatenames":"Tallinn,Talinas","region":"Harju","population":5"#),
  ]

  /// The elements of a feed's list, as JSON texts: the samples that are shipped, and the optional real ones.
  private static func elements(of feed: FeedName) throws -> [String] {
    if feed == .cities { return cities }
    if let own = OwnFeeds.elements[feed] { return own }
    var lists = [try sample(of: feed)]
    let real = [FeedName.swedbankEE: "banks/finder-ee-12-records.json", .imaginary: "banks/imaginary-bank.json"]
    if let path = real[feed].flatMap(Repository.sharedData) { lists.append(try Repository.bytes(path)) }
    return lists.flatMap { objects(in: $0, depth: feed == .imaginary ? 2 : 1) }
  }

  /// The JSON objects at `depth` of a text whose strings hold no brackets.
  private static func objects(in text: [UInt8], depth: Int) -> [String] {
    var found: [String] = []
    var (open, start) = (0, 0)
    for (offset, byte) in text.enumerated() {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if open == depth, byte == UInt8(ascii: "{") { start = offset }
        open += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        open -= 1
        guard open == depth, byte == UInt8(ascii: "}") else { continue }
        found.append(String(decoding: text[start...offset], as: UTF8.self))
      default: break
      }
    }
    return found
  }

  private static func list(_ elements: [String], of feed: FeedName) -> [UInt8] {
    if feed == OwnFeeds.table { return OwnFeeds.table(elements) }
    if feed == OwnFeeds.points { return OwnFeeds.points(elements) }
    let array = "[\(elements.joined(separator: ","))]"
    return Array((feed == .imaginary ? "{\"data\": \(array)}" : array).utf8)
  }

  private static func importer(of feed: FeedName) throws -> any SubjectImporter {
    switch feed.servedSubject {
    case .cities: CityImporter()
    case .trade: TradeImporter()
    default: try OwnFeeds.importer()
    }
  }

  /// The records of `feed` that a server finds in a resident file.
  private static func served(_ feed: FeedName, _ image: ResidentImage) throws -> Int {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    try image.write(to: path)
    switch feed.servedSubject {
    case .cities:
      let cities = try ResidentCities(path: path)
      try cities.verify()
      var matches = CityMatches()
      cities.index.search(UnsafeRawBufferPointer(start: nil, count: 0), mode: .plain, into: &matches)
      return matches.total
    case .trade:
      let trade = try ResidentTrade(path: path)
      try trade.verify()
      if feed == .rates { return trade.rates.rates.count }
      return try (0..<trade.productCount).reduce(0) { try $0 + trade.transactions(ofProductAt: $1).count }
    default:
      let banks = try ResidentBanks(path: path)
      return Set((0..<banks.count).map { banks.index.id(at: $0) }).count
    }
  }

  /// Checks the account of one list; `true` if it was taken.
  private static func check(_ feed: FeedName, _ bytes: [UInt8], records: Int?, _ what: String) throws -> Bool {
    let importer = try importer(of: feed)
    let contents: FeedContents
    do {
      contents = try importer.examine(feed, bytes)
    } catch {
      #expect(error.reason == .badData, "\(what): \(error)")
      return false
    }
    let counts = contents.counts
    if let records { #expect(counts.read == UInt64(records), "\(what): \(counts)") }
    let lost = counts.repeated + counts.replaced + counts.skipped
    let notes = min(lost + (counts.remarked ?? 0), 20)
    #expect(contents.notes.count == Int(notes), "\(what): \(contents.notes)")
    #expect(contents.notes.count { $0.fate != .remarked } == Int(min(lost, 20)), "\(what): \(contents.notes)")
    #expect(contents.notes.map(\.record) == contents.notes.map(\.record).sorted())
    #expect(contents.notes.allSatisfy { (1...counts.read).contains($0.record) })
    let image = try importer.image(of: [feed: SourceCopy(bytes: bytes)])
    #expect(try served(feed, image) == Int(counts.kept), "\(what): \(counts)")
    return true
  }

  @Test(arguments: feeds) func `doubled and shuffled lists lose no record`(feed: FeedName) throws {
    let elements = try Self.elements(of: feed)
    try #require(elements.count > 1)
    var random = SeededGenerator(seed: 10)
    for copies in 1...4 {
      let many = Array(repeating: elements, count: copies).joined().shuffled(using: &random) + ["5", "{}", "null"]
      #expect(try Self.check(feed, Self.list(many, of: feed), records: many.count, "\(feed.rawValue) times \(copies)"))
    }
  }

  @Test(arguments: feeds) func `records that are damaged in any way are accounted for`(feed: FeedName) throws {
    let elements = try Self.elements(of: feed)
    var random = SeededGenerator(seed: 11)
    let words = ["null", "true", "-1", "1e999", "[]", "{}", "\"\"", "\"x\"", "\"\\u0000\"", "0.5", "91", "\"e\""]
    for round in 0..<60 {
      // Whole values are replaced, so that the list stays JSON and its number of records is known.
      let damaged = elements.map { element in
        guard Bool.random(using: &random) else { return element }
        let colons = element.indices.filter { element[$0] == ":" && element[element.index(after: $0)] != "/" }
        guard let colon = colons.randomElement(using: &random) else { return element }
        let rest = element[element.index(after: colon)...]
        guard let end = rest.firstIndex(where: { ",}]".contains($0) }) else { return element }
        let value = rest[..<end].drop { $0 == " " }
        let isWhole = value.first.map { !"{[\"".contains($0) } ?? false || value.dropFirst().last == "\""
        guard isWhole else { return element }
        return element[...colon] + (words.randomElement(using: &random) ?? "null") + element[end...]
      }
      _ = try Self.check(feed, Self.list(damaged, of: feed), records: elements.count, "\(feed.rawValue) round \(round)")
    }
  }

  @Test(arguments: feeds)
  func `bytes that are changed, lost or added leave an account that adds up, or a refusal`(feed: FeedName) throws {
    let bytes = Self.list(try Self.elements(of: feed), of: feed)
    var random = SeededGenerator(seed: 12)
    var taken = 0
    for round in 0..<150 {
      var damaged = bytes
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let offset = Int.random(in: damaged.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[offset] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.remove(at: offset)
        default: damaged.insert(damaged[Int.random(in: damaged.indices, using: &random)], at: offset)
        }
      }
      if try Self.check(feed, damaged, records: nil, "\(feed.rawValue) round \(round)") { taken += 1 }
    }
    #expect(taken > 0, "every damaged list was refused: nothing was tested")
  }

  @Test(
    arguments: feeds.filter { $0 != OwnFeeds.table })
  func `text that is not UTF-8 skips the record of a city, and refuses another list, with the place`(feed: FeedName)
    throws
  {
    let elements = try Self.elements(of: feed)
    let keys: [FeedName: String] = [
      .cities: "name", .imaginary: "name", .rates: "from", OwnFeeds.points: "name",
    ]
    let key = keys[feed] ?? (feed.subject == .trade ? "sku" : "n")
    let second = try #require(
      elements.dropFirst().firstIndex { $0.contains("\"\(key)\"") },
      "name a key of \(feed.rawValue) whose value is a text in `keys`")
    var bytes = Self.list(Array(elements[...second]), of: feed)
    let needle = Array("\"\(key)\"".utf8)
    let found = try #require(bytes.indices.last { bytes[$0...].starts(with: needle) })
    let offset = try #require(bytes[(found + needle.count)...].firstIndex(of: UInt8(ascii: "\""))) + 1
    bytes.insert(0xE9, at: offset)
    let line = 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") }
    guard feed == .cities else {
      let error = #expect(throws: FeedError.self) { try Self.importer(of: feed).examine(feed, bytes) }
      #expect(error?.description.contains("the text is not UTF-8 at byte \(offset) (line \(line))") == true)
      return
    }
    let contents = try Self.importer(of: feed).examine(feed, bytes)
    #expect(contents.counts.read == UInt64(second + 1) && contents.counts.skipped == 1)
    let note = try #require(contents.notes.first { $0.fate == .skipped })
    #expect(note.record == UInt64(second + 1) && note.reason.contains("not UTF-8"), "\(note)")
    #expect(note.reason.hasSuffix("at byte \(offset) (line \(line))"), "\(note)")
  }

  /// Records that messages quote, with one letter of 65,000 bytes in each place that is quoted.
  private static let longLetters: [(FeedName, String)] = {
    let letter = "e" + String(repeating: "\u{301}", count: 32_500)
    return [
      (.cities, record(9, letter)), (.swedbankEE, #"{"lat":1,"lon":1,"t":0,"n":"\#(letter)"}"#),
      (.imaginary, #"{"type":"\#(letter)","location":{"lat":1,"long":1}}"#),
      (.rates, #"{"from":"\#(letter)","to":"EUR","rate":1}"#), (.rates, #"{"\#(letter)":1,"\#(letter)":1}"#),
      (.rates, #"{"from":"USD","to":"EUR","rate":"\#(letter)"}"#),
      (.transactions, #"{"sku":"\#(letter)","amount":1,"currency":"EUR"}"#),
      (
        OwnFeeds.points,
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,1]},"properties":{"kind":"\#(letter)"}}"#
      ),
      (OwnFeeds.table, "1,1,\(letter),,"), (OwnFeeds.table, "1,1,atm,,\(letter)"),
      (OwnFeeds.table, "1\(String(repeating: "0", count: 60_000)),1,atm,,"),
    ]
  }()

  @Test(arguments: longLetters.indices)
  func `reasons and remarks are cut by code points, so that a stored copy and its report stay readable`(
    index: Int
  ) throws {
    let (feed, long) = Self.longLetters[index]
    let elements = try Self.elements(of: feed) + Array(repeating: long, count: 3)
    let contents = try Self.importer(of: feed).examine(feed, Self.list(elements, of: feed))
    let maximum = 4 * ImportNotes.maximumReason
    #expect(contents.notes.allSatisfy { $0.reason.utf8.count <= maximum })
    #expect(contents.remarks.allSatisfy { $0.utf8.count <= maximum + 64 }, "\(contents.remarks.map(\.utf8.count))")
    #expect(!contents.remarks.isEmpty)
    let folder = try TemporaryFolder()
    let store = SubjectStore(TestImporter(), state: StateFolder(path: folder.path("state")))
    var details = StoredCopy.Details(url: "https://example.org/", confirmed: 0)
    details.count(contents)
    try store.write(StoredCopy(details, [1, 2, 3]), of: feed)
    guard case .sound(let header) = try store.check(feed) else {
      Issue.record("the copy cannot be read")
      return
    }
    #expect(header.details == details)
  }

  @Test func `a description that quotes a whole source is cut`() {
    let error = FeedError(.badData, String(repeating: "e\u{301}\u{302}\u{303}", count: 100_000))
    #expect(error.description.utf8.count <= 4 * FeedError.maximumDescription)
    #expect(FeedError(.badData, "short").description == "short")
  }

  @Test func `a record that is neither kept nor noted fails the import`() {
    var notes = ImportNotes(source: "list")
    for _ in 0..<3 { notes.countRecord() }
    notes.note(2, .skipped, "it is bad")
    #expect(throws: Never.self) { try notes.counts(kept: 2) }
    let error = #expect(throws: FeedError.self) { try notes.counts(kept: 1) }
    #expect(error?.reason == .internalFault && error?.exitCode == .software)
    #expect(error?.description.hasPrefix("list: the import does not add up: 3 records were read, but 2") == true)
  }

  @Test func `skipped records are counted by their problem, without what they quote`() {
    var notes = ImportNotes(source: "sales")
    for position in 1...30 {
      notes.countRecord()
      notes.note(
        position, .skipped, position == 7 ? "sku is missing" : "amount: \"x\(position)\" is not a decimal number: y")
    }
    #expect(
      Array(notes.lines.suffix(3)) == [
        "sales: 30 records are not kept; the first 20 are listed",
        "sales: 29 skipped: amount: … is not a decimal number: y", "sales: 1 skipped: sku is missing",
      ])
    var many = ImportNotes(source: "sales")
    for position in 1...100 { many.note(position, .skipped, "problem \(position)") }
    #expect(many.lines.count <= 20 + 1 + 33 && many.lines.contains("sales: 68 skipped: other problems"))
  }
}
