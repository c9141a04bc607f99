import CitiesProtocol
import Glibc
import Resident
import TestSupport
import Testing

@testable import FeedSync

@Suite("City feed")
struct CityFeedTests {
  let folder: TemporaryFolder
  var state: StateFolder { StateFolder(path: folder.path("state")) }

  init() throws { folder = try TemporaryFolder() }

  private var feed: any Feed { get throws { try feed(folder.path("list")) } }
  private var index: String { state.path(of: ResidentCities.kind) }

  /// The feed with its source at `path`, as a new process sets it up.
  private func feed(_ path: String) throws -> any Feed {
    let configuration = try SyncConfiguration(environment: ["CITIES_FEED_CITIES": path], user: 1_000)
    return FeedRegistry.feeds(of: [CityImporter()], configuration, state: state)[0]
  }

  private func update(_ bytes: [UInt8], force: Bool = false) throws -> FeedResult {
    try folder.write("list", bytes)
    return try feed.update(AttemptOptions(isForced: force))
  }

  @Test func `a list is imported once, and again when it changes`() throws {
    let first = list(record(1, "A"), record(2, ""))
    #expect(try update(first).outcome == .imported)
    var before = stat()
    #expect(stat(index, &before) == 0)
    let second = try update(first)
    #expect(second.outcome == .unchanged && second.counts == RecordCounts(kept: 1, skipped: 1))
    #expect(second.notes?.map(\.record) == [2])
    var after = stat()
    #expect(stat(index, &after) == 0 && after.st_ino == before.st_ino)
    #expect(try update(list(record(1, "A"), record(3, "C"))).outcome == .imported)
    #expect(try ResidentCities(path: index).count == 2)
  }

  @Test func `a forced import makes the same bytes again`() throws {
    let bytes = list(record(1, "A"))
    _ = try update(bytes)
    let before = try Repository.bytes(index)
    #expect(try update(bytes, force: true).outcome == .imported)
    #expect(try Repository.bytes(index) == before)
  }

  @Test func `an import that is forced, or rebuilds a damaged index, names the bad records again`() throws {
    let bytes = list(record(1, "A"), record(2, ""))
    let expected = ["\(folder.path("list")): record 2 skipped: the name is empty"]
    #expect(try update(bytes).remarks == expected)
    #expect(try update(bytes).remarks.isEmpty)
    #expect(try update(bytes, force: true).remarks == expected)
    try folder.write("state/cities.index", [1, 2, 3])
    let rebuilt = try update(bytes)
    #expect(rebuilt.outcome == .imported && rebuilt.remarks == expected)
  }

  @Test(arguments: [8, 16, 70, 200])
  func `an index of another version, or a damaged one, is rebuilt`(offset: Int) throws {
    let bytes = list(record(1, "A"))
    _ = try update(bytes)
    let sound = try Repository.bytes(index)
    var damaged = sound
    damaged[offset] ^= 0xff
    try folder.write("state/cities.index", damaged)
    #expect(try update(bytes).outcome == .imported)
    #expect(try Repository.bytes(index) == sound)
  }

  static let bad: [(name: String, bytes: [UInt8])] = [
    ("truncated", Array(list(record(1, "A"), record(2, "B")).dropLast(3))),
    ("truncated gzip", Array(gzip(list(record(1, "A"))).dropLast(1))),
    (
      "gzip with a bad checksum",
      {
        var bytes = gzip(list(record(1, "A"))); bytes[bytes.count - 5] ^= 1; return bytes
      }()
    ),
    ("object", Array("{\"cities\":[]}".utf8)), ("empty file", []), ("empty array", Array("[]".utf8)),
    ("nothing but bad records", list("{}", "[]", record(1, ""))),
    ("nested bomb", [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)),
  ]

  @Test(arguments: bad.indices)
  func `what cannot be imported leaves the index that is served untouched`(_ number: Int) throws {
    _ = try update(list(record(1, "Served")))
    let served = try Repository.bytes(index)
    let error = #expect(throws: FeedError.self, "\(Self.bad[number].name)") { try update(Self.bad[number].bytes) }
    #expect(error?.reason == .badData)
    #expect(error?.description.hasPrefix(folder.path("list")) == true)
    #expect(try Repository.bytes(index) == served)
    #expect(Repository.names(in: state.path) == [".cities.index.lock", ".feeds.lock", "cities.index", "sources"])
    #expect(Repository.names(in: "\(state.path)/sources") == ["cities.source"])
  }

  @Test(.timeLimit(.minutes(5)))
  func `a source that is not there or no regular file is refused without waiting`() throws {
    let missing = #expect(throws: FeedError.self) { try feed.update(AttemptOptions()) }
    #expect(missing?.description == "\(folder.path("list")): open: No such file or directory")
    #expect(mkfifo(folder.path("list"), 0o600) == 0)
    let pipe = #expect(throws: FeedError.self) { try feed.update(AttemptOptions()) }
    #expect(pipe?.description.hasSuffix("found a folder, pipe, socket or device") == true)
  }

  @Test func `progress goes forward from reading to done`() throws {
    try folder.write("list", list(record(1, "A")))
    let seen = Seen()
    _ = try feed.update(AttemptOptions { seen.add($0) })
    #expect(seen.all.first?.phase == "reading")
    #expect(seen.all.last == Progress("done", done: 1))
    #expect(seen.all.map(\.done) == seen.all.map(\.done).sorted())
  }

  @Test(
    .enabled(if: Repository.sharedData("cities.json.gz") != nil, "shared/data/cities.json.gz is not there"))
  func `the real list gives its 209,557 cities`() throws {
    let source = try #require(Repository.sharedData("cities.json.gz"))
    let result = try feed(source).update(AttemptOptions())
    #expect(result.outcome == .imported && result.counts == RecordCounts(kept: 209_557) && result.notes == [])
    let cities = try ResidentCities(path: index)
    #expect(cities.count == 209_557)
    #expect(try feed(source).update(AttemptOptions()).outcome == .unchanged)
  }
}
