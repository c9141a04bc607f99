import Glibc

/// The sync service, as the server sees it: it answers, is silent, is not there, or sends nonsense.
final class SyncService {
  private enum Mood: CaseIterable { case answers, silent, absent, refuses, hangsUp, nonsense }

  private unowned let kernel: Kernel
  private var mood = Mood.answers
  private var connections: [SyncConnection] = []

  init(_ kernel: Kernel) { self.kernel = kernel }

  /// The faults have stopped: it answers, and ends the connections that it was silent on.
  func settle() {
    mood = .absent
    for connection in connections { connection.end() }
    connections = []
  }

  /// connect(2) of the server's.
  func connect(_ socket: Socket, _ path: String) -> Int32 {
    guard path == Places.sync else { return -ENOENT }
    if mood != .absent || kernel.dice.hits(300), kernel.weather.interrupted >= 0, !connectionsAreOver {
      mood = kernel.dice.choose(Mood.allCases)
    }
    switch mood {
    case .absent: return -ENOENT
    case .refuses: return -ECONNREFUSED
    default:
      let connection = SyncConnection(kernel, socket)
      connection.answer = mood == .answers ? .some(true) : mood == .nonsense ? .some(false) : nil
      connections.append(connection)
      if mood == .hangsUp { kernel.after(kernel.dice.delay(upTo: 5_000_000)) { connection.end() } }
      return 0
    }
  }

  private var connectionsAreOver: Bool { mood == .absent && connections.isEmpty }
}

/// One connection of the server to the sync service.
private final class SyncConnection: SocketPeer {
  private unowned let kernel: Kernel
  private let socket: Socket
  private var incoming: [UInt8] = []
  private var isOver = false
  /// Whether it answers, and then with sense.
  var answer: Bool?

  init(_ kernel: Kernel, _ socket: Socket) {
    (self.kernel, self.socket) = (kernel, socket)
    socket.peer = self
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    socket.hangUp()
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    socket.take(bytes.count)
    incoming.append(contentsOf: bytes)
    while incoming.count >= 4 {
      let length = incoming[..<4].reduce(0) { $0 << 8 | Int($1) }
      guard incoming.count >= 4 + length else { return }
      let payload = Array(incoming[4..<4 + length])
      incoming.removeFirst(4 + length)
      kernel.after(kernel.dice.delay(upTo: 3_000_000_000)) { [weak self] in self?.reply(to: payload) }
    }
  }

  private func reply(to payload: [UInt8]) {
    guard !isOver, let answer, payload.count > 5 else { return }
    // {"id": the same, "result": {"feeds": []}}
    let idEnd = payload.dropFirst(4).firstIndex(of: 0x66) ?? 5
    var reply: [UInt8] = [0xA2] + payload[1..<idEnd] + [0x66] + Array("result".utf8)
    reply += answer ? [0xA1, 0x65] + Array("feeds".utf8) + [0x80] : [0xFF]
    socket.put([0, 0, 0, UInt8(reply.count)] + reply)
  }

  func madeRoom() {}
  func serverClosed() { isOver = true }
  func serverStopsReading() {}
}
