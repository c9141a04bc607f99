import CitiesProtocol
import FrameService
import Glibc

/// How a client behaves on one connection.
struct Manner {
  /// Requests that it sends in all.
  var requests = 8
  /// Requests that are open at a time.
  var depth = 1
  /// The longest pause before it sends more, in nanoseconds.
  var pause: Int64 = 2_000_000
  /// The longest time before it reads, in nanoseconds.
  var readPause: Int64 = 200_000
  /// Bytes that it reads at a time.
  var readBytes = 1 << 20
  /// The longest time before it sends its first requests, in nanoseconds; nil for that of the other pauses.
  var firstPause: Int64?
  /// Bytes that wait for the client and for the server at most; nil for a size by chance.
  var capacity: Int?
  /// Bytes of a request that arrive at a time.
  var pieceBytes = 1 << 20
  /// The requests that it sends.
  var templates: [Int] = []
  /// How it ends.
  var ending = Ending.close
  /// Whether it stops in the middle of its last request.
  var stopsHalfway = false
  /// Whether it reads nothing before the faults have stopped, and nothing at all from a service that leaves.
  var isDeaf = false
  /// Whether its waits are compared with the bound for short requests.
  var isTimed = false
  /// Whether what the server does for it is compared with what it does for others.
  var isRival = false

  /// How a client leaves.
  enum Ending: CaseIterable {
    /// After its last answer.
    case close
    /// It sends no more, and reads the answers that are due.
    case halfClose
    /// In the middle of its requests.
    case reset
  }
}

/// A client's end of a connection, with what the oracle expects there: one reply for each request, in order.
final class Session: SocketPeer {
  /// A request without a reply.
  struct Expected {
    let template: Int
    let id: Int
    /// The number of the last of its bytes.
    let end: Int
    /// When all of it could be read by the server; nil before.
    var delivered: Int64?
    /// The longest wait for a reply, if it is bounded; known when it is delivered.
    var bound: Int64 = .max
  }

  let socket: Socket
  let manner: Manner
  /// Orders sessions of a user.
  var order = 0
  private unowned let world: World
  private var outgoing = ByteQueue()
  private var expected: [Expected] = []
  private var answered = 0
  /// The number of requests that wait for the server, as `Fairness` knows it.
  private var demand = 0
  private var queuedBytes = 0
  private var deliveredBytes = 0
  /// When the first bytes of a request arrived that is not complete yet; nil if none is.
  private var incompleteSince: Int64?
  private var incoming: [UInt8] = []
  private var incomingSince: Int64 = 0
  private var sent = 0
  private var watches: Set<Int> = []
  /// Subjects that a reply was about.
  private(set) var answeredSubjects: Set<Subject> = []
  private var willAct = false
  private var willRead = false
  private var willDeliver = false
  private(set) var isOver = false
  private var hasLeft = false
  private var hasEndedInput = false
  private var isRefused = false
  private var hasFatal = false
  private var isHalf = false
  /// Requests that end before this number were received when the service stopped; nil as long as it runs.
  private var cut: Int?

  init(_ world: World, _ socket: Socket, _ manner: Manner) {
    (self.world, self.socket, self.manner) = (world, socket, manner)
    socket.peer = self
    act(
      after: manner.firstPause.map { $0 / 2 + world.kernel.dice.delay(upTo: $0 / 2) }
        ?? world.kernel.dice.delay(upTo: manner.pause))
  }

  private var kernel: Kernel { world.kernel }

  /// Requests without a reply.
  var open: ArraySlice<Expected> { expected[answered...] }
  /// Requests to watch that the server has answered, or may be answering.
  var subscriptions: Int { watches.count + open.count { world.oracle.templates[$0.template].kind == .watch } }

  // MARK: Sending

  private func act(after delay: Int64) {
    guard !willAct, !isOver else { return }
    willAct = true
    kernel.after(delay) { [weak self] in
      self?.willAct = false
      self?.act()
    }
  }

  private func act() {
    guard !isOver, !hasLeft else { return }
    // The server compares users once it knows them.
    if manner.isRival, socket.acceptedAt == 0, !world.isCalm { return act(after: 1_000_000) }
    guard sent < manner.requests, !hasFatal, cut == nil, !world.isCalm else { return finish() }
    while sent < manner.requests, open.count < manner.depth, !hasFatal { request() }
    deliver()
    if sent == manner.requests { finish() }
  }

  private func request() {
    let number = kernel.dice.choose(manner.templates)
    let template = world.oracle.templates[number]
    let id = 256 + sent % 60_000
    sent += 1
    var frame = template.request(id)[...]
    if manner.stopsHalfway, sent == manner.requests, frame.count > 1 {
      frame = frame.prefix(kernel.dice.pick(1...frame.count - 1))
      isHalf = true
    } else {
      expected.append(Expected(template: number, id: id, end: queuedBytes + frame.count))
      world.requests += 1
    }
    if template.kind == .fatal { hasFatal = true }
    queuedBytes += frame.count
    outgoing.append(frame)
  }

  /// Moves bytes into the kernel, as far as there is room and in pieces.
  private func deliver() {
    guard !isOver, !hasLeft, !outgoing.isEmpty else { return }
    let count = min(socket.room, outgoing.count, world.isLong ? .max : manner.pieceBytes)
    guard count > 0 else { return }
    let piece = outgoing.prefix(count)
    deliveredBytes += count
    for place in expected.indices[answered...] where expected[place].delivered == nil {
      guard expected[place].end <= deliveredBytes else { break }
      expected[place].delivered = kernel.now
      if manner.isTimed { expected[place].bound = world.waitBound(of: self) }
    }
    noteDemand()
    let isComplete = expected[answered...].prefix { $0.delivered != nil }.last?.end ?? 0 >= deliveredBytes
    incompleteSince = isComplete ? nil : incompleteSince ?? kernel.now
    kernel.note("arrive", Int64(socket.number), Int64(count))
    socket.put(piece)
    outgoing.drop(count)
    if !outgoing.isEmpty { deliverLater() }
  }

  private func deliverLater() {
    guard !willDeliver else { return }
    willDeliver = true
    kernel.after(kernel.dice.delay(upTo: 400_000)) { [weak self] in
      self?.willDeliver = false
      self?.deliver()
    }
  }

  func madeRoom() { if !outgoing.isEmpty { deliverLater() } }

  /// Leaves, as far as that is possible now.
  private func finish() {
    guard !isOver, !hasLeft else { return }
    if manner.ending == .reset, !world.isCalm { return leave() }
    if manner.ending == .halfClose, outgoing.isEmpty, !hasEndedInput, !isHalf {
      hasEndedInput = true
      socket.endInput()
    }
    // A frame that is not complete is for the server to end.
    guard open.isEmpty, !isHalf, !hasFatal, watches.isEmpty || world.isCalm else { return }
    if manner.ending == .halfClose, watches.isEmpty { return }
    if socket.unread > 0 { return read() }
    leave()
  }

  /// Closes its end, whatever is open.
  func leave() {
    guard !isOver, !hasLeft else { return }
    kernel.note("leave", Int64(socket.number))
    hasLeft = true
    noteEnd()
    socket.hangUp()
    world.ended(self)
  }

  private func noteEnd() {
    guard manner.isRival else { return }
    noteDemand(0)
    world.fairness.disconnect(socket.user)
  }

  /// Counts its requests that wait for the server: none while a part of a reply waits for the client to read.
  private func noteDemand() {
    noteDemand(socket.isFull ? 0 : open.count { $0.delivered != nil })
  }

  private func noteDemand(_ count: Int) {
    guard manner.isRival, count != demand else { return }
    world.fairness.change(socket.user, by: count - demand)
    demand = count
  }

  /// The faults have stopped.
  func calmDown() {
    read()
    act(after: kernel.dice.delay(upTo: 1_000_000))
  }

  // MARK: Reading

  private var isDeaf: Bool { manner.isDeaf && (!world.isCalm || world.isStopping) }

  private func readLater() {
    guard !willRead, !isOver, !isDeaf else { return }
    willRead = true
    kernel.after(kernel.dice.delay(upTo: world.isCalm ? 100_000 : manner.readPause)) { [weak self] in
      self?.willRead = false
      self?.read()
    }
  }

  private func read() {
    guard !isOver, !hasLeft, !isDeaf else { return }
    socket.take(world.isCalm ? 1 << 20 : manner.readBytes)
    noteDemand()
    if socket.unread > 0 { readLater() }
    act(after: kernel.dice.delay(upTo: world.isCalm ? 100_000 : manner.pause))
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    if hasLeft { return }
    if incoming.isEmpty { incomingSince = kernel.now }
    incoming.append(contentsOf: bytes)
    var start = 0
    while incoming.count - start >= 4 {
      let length = incoming[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      guard incoming.count - start - 4 >= length else { break }
      take(incoming[start..<start + 4 + length])
      start += 4 + length
      incomingSince = kernel.now
    }
    incoming.removeFirst(start)
    noteDemand()
    readLater()
  }

  private func take(_ frame: ArraySlice<UInt8>) {
    guard let reply = Reply(frame) else { fail("a frame that is not a reply: \(Array(frame.prefix(40)))") }
    if reply.kind == .event { return takeEvent(reply) }
    if reply.id == 0, reply.code == "busy" { return takeUnexpected(reply) }
    guard answered < expected.count else { return takeUnexpected(reply) }
    let request = expected[answered]
    let template = world.oracle.templates[request.template]
    if reply.id == 0, template.kind != .broken, template.kind != .fatal { return takeUnexpected(reply) }
    if let problem = world.oracle.problem(of: frame, reply, for: request, template, since: incomingSince, self, world) {
      fail("\(template.name) \(request.id): \(problem)")
    }
    answered += 1
    if let subject = template.subject { answeredSubjects.insert(subject) }
    if template.kind == .watch, reply.kind == .result { watches.insert(request.id) }
    if manner.isTimed { world.checkWait(for: request, of: self, template) }
    if manner.isRival { world.checkShare(of: self, request.template) }
    kernel.note("reply", Int64(socket.number), Int64(request.id))
    if answered == expected.count {
      expected.removeAll(keepingCapacity: true)
      answered = 0
    }
  }

  private func takeEvent(_ reply: Reply) {
    if !watches.contains(reply.id) { fail("an event of a watch \(reply.id) that has no reply yet") }
  }

  /// A reply to no request: a refusal, or the end of an incomplete frame.
  private func takeUnexpected(_ reply: Reply) {
    guard reply.id == 0, reply.kind == .error else { fail("a reply \(reply.id) without a request") }
    switch reply.code {
    case "busy":
      isRefused = true
      if !world.hadShortage { fail("refused as busy although there was room") }
    case "malformed" where isHalf && open.isEmpty: isHalf = false; hasFatal = true
    case "malformed" where isTooLate && open.allSatisfy({ $0.delivered == nil }):
      expected.removeAll()
      answered = 0
      hasFatal = true
    default:
      let due = open.first.map { "\(world.oracle.templates[$0.template].name) \($0.id) is due" } ?? "nothing is due"
      fail("an error \(reply.code) without a request; \(due)")
    }
  }

  /// Whether a request has been incomplete for longer than the server waits: the clock was set forward.
  private var isTooLate: Bool { incompleteSince.map { kernel.now - $0 >= world.limits.frameTime } ?? false }

  // MARK: The end

  func serverStopsReading() { cut = deliveredBytes }

  func serverClosed() {
    guard !isOver else { return }
    isOver = true
    guard !hasLeft else { return }
    kernel.note("closed", Int64(socket.number))
    noteEnd()
    world.ended(self)
    if isRefused || socket.isAborted || hasFatal && open.isEmpty { return }
    let owed = open.count { $0.end <= (cut ?? (world.isStopping ? deliveredBytes : .max)) }
    if world.isStopping, owed == 0 || socket.unread > 0 || socket.number < 0 && deliveredBytes == 0 { return }
    if hasEndedInput, open.isEmpty { return }
    // The backlog of a listener ends with it. Who reads slowly, or waits for the sync service, has limited time.
    if world.isStopping, socket.acceptedAt == 0, world.hadShortage { return }
    let isSlow = manner.readPause >= 1_000_000 || manner.readBytes < 1 << 20
    if world.hasDrained, isSlow || world.themes.contains(.sync) { return }
    // It reads too slowly, or not at all.
    if socket.unread > socket.capacity / 2 { return }
    // Or it reads more only now, and an event could not wait after what the server has not sent since.
    let tooManyEvents = "dropped a connection of user \(socket.user): it reads no events"
    if socket.isBlocked, subscriptions > 0, world.hasLogged(tooManyEvents) { return }
    world.displaced(self)
  }

  /// Fails if a request is open.
  func checkIdle() {
    if let first = open.first {
      fail("no reply to \(world.oracle.templates[first.template].name) \(first.id), and \(open.count - 1) more")
    }
    fail("the connection does not end")
  }

  /// Ends the run with a finding about this connection.
  func fail(_ problem: String) -> Never { kernel.fail("user \(socket.user): \(problem)") }
}
