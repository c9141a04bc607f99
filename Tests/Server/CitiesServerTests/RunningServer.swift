import CBOR
import Cities
import CitiesProtocol
import FrameService
import Glibc
import Logging
import Resident
import Synchronization
import TestSupport

@testable import CitiesServer

/// Cities whose index is small enough to be known by heart.
enum SmallWorld {
  /// Their ids count up from 10.
  static let cities: [City] = [
    City(id: 10, name: "Alba", country: "ES", latitude: 40.5, longitude: -1.25),
    City(id: 11, name: "Alba", country: "IT", latitude: 44.7, longitude: 8.03, population: 31_437),
    City(
      id: 12, name: "Albany", country: "US", latitude: 42.65, longitude: -73.75, population: 98_469, alternates: [],
      zone: "America/New_York"),
    // No machine has the file of this zone.
    City(
      id: 13, name: "Albuquerque", country: "US", latitude: 35.08, longitude: -106.65, population: 564_559,
      alternates: [], zone: "Mars/Olympus"),
    City(
      id: 14, name: "Łódź", country: "PL", latitude: 51.75, longitude: 19.4667, population: 672_185,
      alternates: ["Lodsch", "Лодзь"], region: ("74", "Łódź Voivodeship"), zone: "Europe/Warsaw"),
    City(
      id: 15, name: "São Paulo", country: "BR", latitude: -23.5475, longitude: -46.6361, population: 12_400_232,
      alternates: ["GRU", "SAO", "聖保羅"]),
    City(id: 16, name: "Twin", country: "AA", latitude: 1, longitude: 1),
    City(id: 17, name: "Twin", country: "AA", latitude: 1.001, longitude: 1),
    City(id: 18, name: "Washington, D.C.", country: "US", latitude: 38.9, longitude: -77.04, population: 601_723),
  ]

  /// The index of `cities`, made once for all servers.
  private static let usual = Result { try image(of: cities) }

  /// An index of `cities`, by default those above, at `path`, replacing the one there.
  static func write(_ cities: [City]? = nil, to path: String) throws {
    try (cities.map(image) ?? usual.get()).write(to: path)
    // A server that finds a writer serves the file later.
    waitUntilUnwritten(path)
  }

  static func image(of cities: [City]) throws -> ResidentImage {
    var builder = CityIndexBuilder()
    for city in cities { _ = try builder.add(city) }
    return try ResidentCities.image(of: builder, fingerprint: 1)
  }
}

extension City {
  /// A city with other names, a region and a zone.
  fileprivate init(
    id: UInt64, name: String, country: String, latitude: Double, longitude: Double, population: UInt64,
    alternates: [String], region: (code: String, name: String) = ("", ""), zone: String = ""
  ) {
    self.init(
      id: id, name: name, country: country, latitude: latitude, longitude: longitude, population: population)
    (self.alternates, self.zone) = (alternates, zone)
    (regionCode, self.region) = region
  }
}

/// A server on a thread, a socket and a state folder of its own.
final class RunningServer: Sendable {
  let folder: TemporaryFolder
  let socket: String
  private let started: Started
  private let thread: BackgroundThread
  private let isOver: Mutex<Bool>

  /// Starts a server with the small world, or without data.
  init(
    hasData: Bool = true, configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path("state"), 0o700)
    if hasData { try SmallWorld.write(to: folder.path("state/cities.index")) }
    let socket = try ListeningSocket(binding: folder.path("c.sock"), mode: 0o600)
    let started = Box<Started?>(nil)
    thread = BackgroundThread {
      do {
        var configuration = ServerConfiguration(stateFolder: folder.path("state"))
        configure(&configuration)
        let server = try QueryServer(configuration, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        started.value = Started(server)
        try server.run(on: socket, signals: false)
      } catch {
        fatalError("the test's server failed: \(error)")
      }
    }
    self.started = started.wait()
    self.folder = folder
    self.socket = folder.path("c.sock")
    isOver = Mutex(false)
  }

  deinit { stop() }

  /// The server; `Sendable` because only its thread owns and uses it.
  private struct Started: @unchecked Sendable {
    unowned let server: QueryServer
    let mailbox: Mailbox
    init(_ server: QueryServer) { (self.server, mailbox) = (server, server.service.loop.mailbox) }
  }

  /// Leaves and waits for the end.
  func stop() {
    guard
      isOver.withLock({ over in
        defer { over = true }; return !over
      })
    else { return }
    started.mailbox.post { [started] loop in loop.soon { started.server.service.stop("test") } }
    thread.join()
  }

  /// What `body` finds in the server, on the loop's thread.
  func onLoop<Value: Sendable>(_ body: @escaping @Sendable (QueryServer) -> Value) throws -> Value {
    let box = Box<Value?>(nil)
    started.mailbox.post { [started] loop in loop.soon { box.value = body(started.server) } }
    guard eventually({ box.value != nil }), let value = box.value else { throw ServerEnded() }
    return value
  }

  /// The path of the city index.
  var index: String { folder.path("state/cities.index") }

  /// A client, which keeps the server running.
  func client() throws -> TestClient { TestClient(try RawClient(socket), self) }
}

/// Asks typed questions over a raw socket.
final class TestClient {
  let raw: RawClient
  private var issued: UInt64 = 0

  init(_ raw: RawClient, _ server: RunningServer) {
    self.raw = raw
    raw.keeps = server
  }

  /// Sends a question; its id.
  @discardableResult
  func send<Message: RequestMessage>(_ message: Message) throws -> UInt64 {
    issued += 1
    try raw.sendFrame(CBOREncoder().encode(RequestEnvelope(id: issued, message)))
    return issued
  }

  /// The next answer, as bytes.
  func bytes() throws -> [UInt8] {
    guard let bytes = try raw.receiveFrame() else { throw ServerEnded() }
    return bytes
  }

  /// Asks and waits for the answer's envelope.
  func envelope<Message: RequestMessage>(_ message: Message) throws -> ServerEnvelope<Message> {
    try send(message)
    return try CBORDecoder().decode(ServerEnvelope<Message>.self, from: bytes())
  }

  /// Asks and waits for the result.
  func ask<Message: RequestMessage>(_ message: Message) throws -> Message.Reply {
    let envelope = try envelope(message)
    if let error = envelope.error { throw error }
    guard let result = envelope.result else { throw ServerEnded() }
    return result
  }

  /// Asks and waits for the error.
  func error<Message: RequestMessage>(_ message: Message) throws -> WireError? { try envelope(message).error }

  /// The next event.
  func event() throws -> Watch.Event? {
    try CBORDecoder().decode(ServerEnvelope<Watch>.self, from: bytes()).event
  }
}

struct ServerEnded: Error {}

extension CityRow {
  /// The row of the small world with `id`.
  static func small(_ id: UInt64) -> CityRow { CityRow(SmallWorld.cities[Int(id) - 10]) }

  /// The same with what the city is known to have of `parts`.
  static func small(_ id: UInt64, with parts: CityParts) -> CityRow {
    let city = SmallWorld.cities[Int(id) - 10]
    var row = CityRow(city)
    if parts.contains(.region), !city.region.isEmpty { row.region = city.region }
    if parts.contains(.region), !city.regionCode.isEmpty { row.regionCode = city.regionCode }
    if parts.contains(.zone), !city.zone.isEmpty { row.zone = city.zone }
    if parts.contains(.alternates) { row.alternates = city.alternates }
    return row
  }
}
