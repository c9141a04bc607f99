import Glibc

/// The other end of a socket: a client, or a service that the server asks.
protocol SocketPeer: AnyObject {
  /// The server has sent `bytes`.
  func received(_ bytes: UnsafeRawBufferPointer)
  /// The server has read, and there is room for more.
  func madeRoom()
  /// The server has closed its end.
  func serverClosed()
  /// The server reads no more than what was sent before.
  func serverStopsReading()
}

/// The server's end of a connection (unix(7)).
final class Socket: KernelObject {
  /// The peer's user.
  let user: UInt32
  /// Bytes that wait for the peer at most, and for the server.
  let capacity: Int
  weak var peer: (any SocketPeer)?
  /// Bytes that the server has not read.
  private(set) var inbox = ByteQueue()
  /// Bytes that the peer has not read.
  private(set) var unread = 0
  /// Whether the peer sends no more.
  private(set) var hasInputEnded = false
  /// Whether the peer has closed its end.
  private(set) var isHungUp = false
  /// Whether the server has sent less than it wanted to.
  private(set) var isBlocked = false
  /// Whether the server has sent less than it wanted to, and cannot send more yet.
  var isFull: Bool { isBlocked && unread > capacity / 2 && !isHungUp }
  /// Whether it has ended before the server has accepted it.
  var isAborted = false
  /// Whether the server has connected it.
  var isOutgoing = false
  /// When the server has accepted it; 0 before.
  var acceptedAt: Int64 = 0
  private var hasReset = false
  private var isReceivingStopped = false

  init(_ kernel: Kernel, user: UInt32, capacity: Int) {
    (self.user, self.capacity) = (user, capacity)
    super.init(kernel)
  }

  override var readiness: UInt32 {
    var bits: UInt32 = 0
    if !inbox.isEmpty { bits |= EpollBits.input }
    if hasInputEnded || isReceivingStopped { bits |= EpollBits.input | EpollBits.inputEnded }
    if isHungUp { bits |= EpollBits.hungUp }
    if hasReset { bits |= EpollBits.failed }
    if isHungUp || unread <= capacity / 2 { bits |= EpollBits.output }
    return bits
  }

  override func closed() { peer?.serverClosed() }

  // MARK: The server's calls

  func receive(_ buffer: UnsafeMutableRawBufferPointer, onlyLooks: Bool) -> Int {
    kernel.spend(onlyLooks ? 300 : 900)
    if !onlyLooks, kernel.dice.hits(kernel.weather.interrupted) { return -Int(EINTR) }
    if inbox.isEmpty {
      if hasReset {
        hasReset = false
        return -Int(ECONNRESET)
      }
      return hasInputEnded || isReceivingStopped ? 0 : -Int(EAGAIN)
    }
    let count = inbox.copy(to: buffer)
    guard !onlyLooks else { return count }
    if isBlocked, !isHungUp, !isOutgoing {
      kernel.fail("back-pressure: requests are read from a peer of user \(user) that does not read its answers")
    }
    inbox.drop(count)
    kernel.note("receive", Int64(number), Int64(count))
    peer?.madeRoom()
    return count
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    kernel.spend(900 + Int64(bytes.count) / 8)
    if kernel.dice.hits(kernel.weather.interrupted) { return -Int(EINTR) }
    if isHungUp { return -Int(EPIPE) }
    let count = min(bytes.count, capacity - unread)
    isBlocked = count < bytes.count
    kernel.note("send", Int64(number), Int64(count))
    guard count > 0 else { return -Int(EAGAIN) }
    unread += count
    peer?.received(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    return count
  }

  func stopReceiving() -> Int32 {
    kernel.spend(400)
    isReceivingStopped = true
    peer?.serverStopsReading()
    stimulate()
    return 0
  }

  // MARK: The peer's calls

  /// Room for bytes of the peer.
  var room: Int { hasInputEnded || isReceivingStopped ? 0 : max(0, capacity - inbox.count) }

  /// Takes bytes of the peer, for which there is room.
  func put(_ bytes: some Sequence<UInt8>) {
    inbox.append(bytes)
    stimulate()
  }

  /// The peer has read up to `count` bytes.
  func take(_ count: Int) {
    let wasFull = unread > capacity / 2
    unread -= min(count, unread)
    if wasFull, unread <= capacity / 2 { stimulate() }
  }

  /// The peer sends no more.
  func endInput() {
    hasInputEnded = true
    stimulate()
  }

  /// The peer closes its end; bytes that it has not read reset the connection.
  func hangUp() {
    hasInputEnded = true
    isHungUp = true
    hasReset = unread > 0
    stimulate()
  }
}

/// A listening socket.
final class ListeningEnd: KernelObject {
  /// Its path, once it is bound.
  var path = ""
  var isListening = false
  private(set) var waiting: [Socket] = []
  private var head = 0

  override var readiness: UInt32 { waitingCount > 0 ? EpollBits.input : 0 }

  /// Connections that are not accepted yet.
  var waitingCount: Int { waiting.count - head }

  /// A client connects.
  func add(_ socket: Socket) {
    waiting.append(socket)
    stimulate()
  }

  override func closed() {
    for socket in waiting[head...] { socket.peer?.serverClosed() }
    waiting = []
    head = 0
  }

  func accept() -> Int32 {
    kernel.spend(2_500)
    guard waitingCount > 0 else { return -EAGAIN }
    if kernel.dice.hits(kernel.weather.unacceptable) {
      let error = kernel.dice.choose([ECONNABORTED, EINTR, ENOMEM, ENOBUFS, ENFILE])
      if error == ECONNABORTED {
        waiting[head].isAborted = true
        takeFirst().peer?.serverClosed()
      }
      return -error
    }
    let number = kernel.open(waiting[head])
    if number >= 0 { takeFirst().acceptedAt = kernel.now }
    return number
  }

  private func takeFirst() -> Socket {
    defer {
      head += 1
      if head == waiting.count {
        waiting = []
        head = 0
      }
    }
    return waiting[head]
  }
}
