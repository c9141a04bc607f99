import CitiesProtocol
import Resident
import Synchronization
import TestSupport
import Testing

@testable import FeedSync

/// A source is parsed once when it is new, and not at all while nothing has changed: by counts, over several processes.
@Suite("Parsing once", .timeLimit(.minutes(5)))
struct ParseOnceTests {
  /// A subject with its sources on the web, as new processes see it one after the other.
  private final class World: Sendable {
    let folder: TemporaryFolder
    let state: StateFolder
    let clock = TestClock()
    let counts = ImportCounts()
    let bodies: Mutex<[FeedName: [UInt8]]>
    let configuration: SyncConfiguration
    private let importer: any SubjectImporter

    init(_ importer: some SubjectImporter, _ bodies: [FeedName: [UInt8]]) throws {
      folder = try TemporaryFolder()
      state = StateFolder(path: folder.path("state"))
      self.importer = CountingImporter(base: importer, counts: counts)
      self.bodies = Mutex(bodies)
      let urls = importer.feeds.map { (SyncConfiguration.variable(of: $0), "https://example.org/\($0.rawValue)") }
      configuration = try SyncConfiguration(environment: Dictionary(uniqueKeysWithValues: urls), user: 1_000)
    }

    /// Refreshes all feeds in a new process.
    func refresh(force: Bool = false) -> [FeedOutcome.Outcome] {
      let web = TestWeb { [self] request throws(FeedError) in
        let body = bodies.withLock { bodies in bodies.first { request.url.hasSuffix("/\($0.key.rawValue)") }?.value }
        guard let body else { throw FeedError(.unavailable, "no route") }
        return .body(body, SourceValidators())
      }
      let engine = SyncEngine(
        feeds: FeedRegistry.feeds(
          of: [importer], configuration, state: state, fetcher: web, now: { [clock] in clock.now }),
        journal: FeedJournal(state: state, log: TestSubject.quiet), log: TestSubject.quiet,
        now: { [clock] in clock.now })
      return engine.refreshAndWait([], force: force).map(\.outcome)
    }

    var resident: [UInt8] { (try? Repository.bytes(state.path(of: importer.kind))) ?? [] }

    /// Damages the resident file.
    func spoil() throws {
      var bytes = resident
      bytes[bytes.count - 1] ^= 1
      try folder.write("state/\(importer.kind.fileName)", bytes)
    }
  }

  private static func world(of subject: Subject) throws -> World {
    let feeds = try subject.feeds.map { feed in
      (feed, feed == .cities ? list(record(1, "A"), record(2, "B")) : try sample(of: feed))
    }
    let bodies = Dictionary(uniqueKeysWithValues: feeds)
    switch subject {
    case .cities: return try World(CityImporter(), bodies)
    case .banks: return try World(BankImporter(try SyncConfiguration(environment: [:], user: 1_000)), bodies)
    default: return try World(TradeImporter(), bodies)
    }
  }

  private static let subjects = Subject.all

  @Test(arguments: subjects)
  func `new lists are parsed in the run that takes them, once by the attempt of each feed`(subject: Subject) throws {
    let world = try Self.world(of: subject)
    let feeds = world.bodies.withLock { Array($0.keys) }
    #expect(Set(world.refresh()) == [.downloaded])
    var (parses, images) = world.counts.take()
    #expect(Set(parses.keys) == Set(feeds) && parses.values.allSatisfy { (1...feeds.count).contains($0) })
    #expect((1...feeds.count).contains(images))
    let first = world.resident
    // One of them changes: it is parsed once, the others as their copies are needed, and the file is built once.
    let changed = feeds[0]
    world.bodies.withLock { $0[changed]?.append(UInt8(ascii: "\n")) }
    world.clock.advance(3_600)
    #expect(world.refresh().filter { $0 == .downloaded }.count == 1)
    (parses, images) = world.counts.take()
    #expect(parses[changed] == 1 && parses.values.allSatisfy { $0 == 1 } && images == 1)
    #expect(world.resident != first)
  }

  @Test(arguments: subjects)
  func `lists that have not changed are neither parsed nor built from by another process`(subject: Subject) throws {
    let world = try Self.world(of: subject)
    _ = world.refresh()
    _ = world.counts.take()
    let first = world.resident
    for (seconds, outcome) in [(Int64(60), FeedOutcome.Outcome.reused), (3_600, .unchanged), (60, .reused)] {
      world.clock.advance(seconds)
      #expect(Set(world.refresh()) == [outcome])
      let (parses, images) = world.counts.take()
      #expect(parses.isEmpty && images == 0, "\(outcome.rawValue): \(parses), \(images) images")
    }
    #expect(world.resident == first)
  }

  @Test(
    arguments: subjects)
  func `a damaged file, and one of an older program, are rebuilt from the copies, each parsed once`(subject: Subject)
    throws
  {
    let world = try Self.world(of: subject)
    _ = world.refresh()
    _ = world.counts.take()
    let sound = world.resident
    try world.spoil()
    #expect(Set(world.refresh()) == [.reused])
    var (parses, images) = world.counts.take()
    #expect(!parses.isEmpty && parses.values.allSatisfy { $0 == 1 } && images == 1)
    #expect(world.resident == sound)
    // An older program wrote the hash of the source where the fingerprint stands.
    var old = sound
    old.replaceSubrange(32..<40, with: [1, 2, 3, 4, 5, 6, 7, 8])
    let sections = Int(old[20])
    let checksum = CRC32C.checksum(of: Array(old[..<60] + old[64..<64 + sections * 24]))
    withUnsafeBytes(of: checksum.littleEndian) { old.replaceSubrange(60..<64, with: $0) }
    try world.folder.write("state/\(Self.fileName(of: subject))", old)
    #expect(Set(world.refresh()) == [.reused])
    (parses, images) = world.counts.take()
    #expect(parses.values.allSatisfy { $0 == 1 } && images == 1)
    #expect(world.resident == sound)
  }

  @Test(arguments: subjects)
  func `while sources fail, a damaged file is rebuilt from the copies, and for a sound one nothing is parsed`(
    subject: Subject
  ) throws {
    let world = try Self.world(of: subject)
    _ = world.refresh()
    _ = world.counts.take()
    let sound = world.resident
    world.bodies.withLock { $0 = [:] }
    world.clock.advance(3_600)
    for isSpoilt in [false, true] {
      if isSpoilt { try world.spoil() }
      #expect(Set(world.refresh()) == [.failed])
      let (parses, images) = world.counts.take()
      #expect(parses.isEmpty == !isSpoilt && parses.values.allSatisfy { $0 == 1 } && images == (isSpoilt ? 1 : 0))
      #expect(world.resident == sound)
    }
  }

  @Test(arguments: subjects)
  func `a forced refresh of lists that have not changed parses each once per attempt`(subject: Subject) throws {
    let world = try Self.world(of: subject)
    _ = world.refresh()
    let sound = world.resident
    _ = world.counts.take()
    #expect(Set(world.refresh(force: true)) == [.unchanged])
    let (parses, _) = world.counts.take()
    #expect(!parses.isEmpty && parses.values.allSatisfy { (1...subject.feeds.count).contains($0) })
    #expect(world.resident == sound)
  }

  @Test func `a local list is parsed once, and not again by another process`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("list", list(record(1, "A")))
    let configuration = try SyncConfiguration(environment: ["CITIES_FEED_CITIES": path], user: 1_000)
    let counts = ImportCounts()
    for (outcome, expected) in [(FeedOutcome.Outcome.imported, 1), (.unchanged, 0), (.unchanged, 0)] {
      let feeds = FeedRegistry.feeds(
        of: [CountingImporter(base: CityImporter(), counts: counts)], configuration,
        state: StateFolder(path: folder.path("state")))
      #expect(try feeds[0].update(AttemptOptions()).outcome == outcome)
      let (parses, images) = counts.take()
      #expect(parses[.cities, default: 0] == expected && images == expected)
    }
  }

  private static func fileName(of subject: Subject) -> String {
    switch subject {
    case .cities: ResidentCities.kind.fileName
    case .banks: ResidentBanks.kind.fileName
    default: ResidentTrade.kind.fileName
    }
  }
}
