import CBOR
import CitiesProtocol
import Framing
import Glibc

/// The sync service, as the server sees it: it answers, is silent, is not there, or sends nonsense.
final class SyncService {
  private enum Mood: CaseIterable { case answers, silent, absent, refuses, hangsUp, nonsense }

  private unowned let kernel: Kernel
  private var mood = Mood.answers
  private var hasSettled = false
  private var connections: [SyncConnection] = []
  /// How many connections the server has made or closed in the turn of its loop that began at a time.
  private var changes = (turn: Int64(0), count: 0)

  init(_ kernel: Kernel) { self.kernel = kernel }

  /// Whether the server has just asked something or got an answer, and may have a connection because of it.
  var isBusy: Bool { connections.contains { !$0.isOver && kernel.now - $0.lastUse < 1_000_000_000 } }

  /// The faults have stopped: it answers from now on, and ends the connections that it was silent on.
  func settle() {
    (mood, hasSettled) = (.answers, true)
    for connection in connections { connection.end() }
    connections = []
  }

  /// How many connections the server has made or closed in this turn of its loop.
  var changesInTurn: Int { changes.turn == kernel.lastReturn ? changes.count : 0 }

  fileprivate func noteChange() { changes = (kernel.lastReturn, changesInTurn + 1) }

  /// connect(2) of the server's.
  func connect(_ socket: Socket, _ path: String) -> Int32 {
    guard path == Places.sync else { return -ENOENT }
    // A service that is not there stays away for some time.
    if !hasSettled, mood != .absent || kernel.dice.hits(300) { mood = kernel.dice.choose(Mood.allCases) }
    switch mood {
    case .absent: return -ENOENT
    case .refuses: return -ECONNREFUSED
    default:
      noteChange()
      let connection = SyncConnection(kernel, self, socket)
      connection.answer = mood == .answers ? .some(true) : mood == .nonsense ? .some(false) : nil
      // The last client has three seconds for all of its requests.
      if hasSettled { connection.longestWork = 10_000_000 }
      connections.append(connection)
      if mood == .hangsUp { kernel.after(kernel.dice.delay(upTo: 5_000_000)) { connection.end() } }
      return 0
    }
  }
}

/// One connection of the server to the sync service.
private final class SyncConnection: SocketPeer {
  /// What every request has, and what a refresh has.
  private struct Request: Decodable {
    let id: UInt64
    let method: String
    let params: FeedRefresh
  }

  private unowned let kernel: Kernel
  private unowned let service: SyncService
  private let socket: Socket
  private var incoming: [UInt8] = []
  private(set) var isOver = false
  /// When the last request came or was answered.
  private(set) var lastUse: Int64
  /// Whether it answers, and then with sense.
  var answer: Bool?
  /// The longest time until an answer, in nanoseconds.
  var longestWork: Int64 = 3_000_000_000

  init(_ kernel: Kernel, _ service: SyncService, _ socket: Socket) {
    (self.kernel, self.service, self.socket) = (kernel, service, socket)
    lastUse = kernel.now
    socket.peer = self
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    socket.hangUp()
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    socket.take(bytes.count)
    lastUse = kernel.now
    incoming.append(contentsOf: bytes)
    while incoming.count >= 4 {
      let length = incoming[..<4].reduce(0) { $0 << 8 | Int($1) }
      guard incoming.count >= 4 + length else { return }
      let payload = Array(incoming[4..<4 + length])
      incoming.removeFirst(4 + length)
      kernel.after(kernel.dice.delay(upTo: longestWork)) { [weak self] in self?.reply(to: payload) }
    }
  }

  private func reply(to payload: [UInt8]) {
    guard !isOver, let answer else { return }
    do {
      let reply = try Self.reply(to: CBORDecoder().decode(Request.self, from: payload))
      lastUse = kernel.now
      // Nonsense is the start of a reply.
      socket.put(Frame.framed(answer ? reply : Array(reply.prefix(kernel.dice.pick(0...reply.count - 1)))))
    } catch {
      kernel.fail("the server sends a request to the sync service that cannot be read: \(error)")
    }
  }

  private static func reply(to request: Request) throws -> [UInt8] {
    guard request.method == FeedRefresh.method else {
      let hello = Hello.Reply(protocol: 1, server: "simulation", ready: [:], generations: [:], limits: [:])
      return try CBOREncoder().encode(ServerEnvelope<Hello>(id: request.id, result: hello))
    }
    let outcomes = (request.params.feeds ?? []).map { FeedOutcome(feed: $0, outcome: .unchanged) }
    return try CBOREncoder().encode(
      ServerEnvelope<FeedRefresh>(id: request.id, result: Refresh.Reply(feeds: outcomes)))
  }

  func madeRoom() {}
  func serverClosed() {
    isOver = true
    service.noteChange()
  }
  func serverStopsReading() {}
}
