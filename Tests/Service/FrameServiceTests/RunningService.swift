import CBOR
import CitiesProtocol
import Glibc
import Logging
import Synchronization
import TestSupport

@testable import FrameService

/// A service with the handlers of a test, on a thread and a socket of its own.
final class RunningService: Sendable {
  let path: String
  let folder: TemporaryFolder
  let mailbox: Mailbox
  private let thread: BackgroundThread
  private let ended: Box<ServiceCounts?>

  /// Starts a service; `configure` may change it before it serves.
  init(
    _ limits: ServiceLimits = .init(), configure: @escaping @Sendable (FramedService) -> Void = { _ in }
  ) throws {
    let folder = try TemporaryFolder()
    let socket = try ListeningSocket(binding: folder.path("x.sock"), mode: 0o600)
    let (started, ended) = (Box<Mailbox?>(nil), Box<ServiceCounts?>(nil))
    thread = BackgroundThread {
      do {
        let service = try FramedService(
          name: "test", handlers: TestHandlers.all(), limits: limits,
          log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        configure(service)
        started.value = service.loop.mailbox
        service.loop.soon { [unowned service] in
          let reference = Unowned(service)
          // One step: services of other tests begin at the same time.
          Self.current.change { $0[service.loop.mailbox.descriptor] = reference }
        }
        try service.run(on: socket, signals: false)
        ended.value = service.counts
      } catch {
        fatalError("the test's service failed: \(error)")
      }
    }
    mailbox = started.wait()
    self.folder = folder
    path = folder.path("x.sock")
    self.ended = ended
  }

  deinit {
    stop()
    thread.join()
  }

  private struct Unowned: @unchecked Sendable {
    unowned let service: FramedService
    init(_ service: FramedService) { self.service = service }
  }

  private static let current = Box<[Int32: Unowned]>([:])

  /// Runs `body` on the service's thread and waits for it.
  func onLoop<Result: Sendable>(_ body: @escaping @Sendable (FramedService) -> Result) -> Result {
    let result = Box<Result?>(nil)
    let descriptor = mailbox.descriptor
    mailbox.post { loop in
      loop.soon { if let found = Self.current.value[descriptor] { result.value = body(found.service) } }
    }
    return result.wait()
  }

  /// Makes it stop.
  func stop() {
    guard !hasEnded else { return }
    let descriptor = mailbox.descriptor
    mailbox.post { loop in loop.soon { Self.current.value[descriptor]?.service.stop("test") } }
  }

  var hasEnded: Bool { ended.value != nil }

  /// What it did, after it has ended.
  func finish() -> ServiceCounts {
    thread.join()
    return ended.wait()
  }

  /// A client, which keeps the service running.
  func client() throws -> RawClient {
    let client = try RawClient(path)
    client.keeps = self
    return client
  }
}

/// A value that several threads may use.
final class Box<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>
  init(_ value: Value) { storage = Mutex(value) }
  var value: Value {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }
  func change(_ body: (inout sending Value) -> Void) { storage.withLock { body(&$0) } }
}

extension Box {
  /// Waits until there is a value.
  func wait<Wrapped: Sendable>() -> Wrapped where Value == Wrapped? {
    while true {
      if let value { return value }
      usleep(200)
    }
  }
}

/// The handlers of the tests' service.
enum TestHandlers {
  /// Replies that were cancelled, in all services of this process.
  static let cancelled = Box(0)

  static func all() -> [any MethodHandler] {
    [
      Handler("echo") { request, reply throws(WireError) in
        reply.writeEncoded(request.params)
        return .written
      },
      Handler("fail") { _, reply throws(WireError) in
        reply.writeText("half a result")
        throw WireError(.notFound, "nothing here")
      },
      Handler("big") { request, reply throws(WireError) in
        let size = try request.decode(Size.self).size
        reply.writeBytes([UInt8](repeating: 0x42, count: size))
        return .written
      },
      Handler("slow") { request, _ throws(WireError) in
        let size = try request.decode(Size.self).size
        let pending = try request.later()
        request.caller.connection.loop.schedule(after: Int64(size) * 1_000_000) { pending.succeed("late") }
        return .later(pending)
      },
      Handler("at-once") { request, _ throws(WireError) in
        let pending = try request.later()
        pending.succeed("now")
        return .later(pending)
      },
      Handler("later-and-fail") { request, _ throws(WireError) in
        _ = try request.later()
        throw WireError(.internal, "changed its mind")
      },
      Handler("work") { request, _ throws(WireError) in
        let pending = try request.later()
        request.caller.connection.loop.offload({ (0..<1_000).reduce(0, +) }) { pending.succeed($0) }
        return .later(pending)
      },
      Handler("forever") { request, _ throws(WireError) in
        let pending = try request.later()
        pending.onCancel { cancelled.change { $0 += 1 } }
        return .later(pending)
      },
      Handler("steps") { request, _ throws(WireError) in
        .sliced(CountedWork(steps: try request.decode(Size.self).size, fails: false))
      },
      Handler("steps-then-fail") { request, _ throws(WireError) in
        .sliced(CountedWork(steps: try request.decode(Size.self).size, fails: true))
      },
      Handler("watch") { request, reply throws(WireError) in
        let subscription = try request.subscribe()
        request.caller.connection.loop.soon { TestHandlers.tick(subscription, left: 3) }
        reply.writeText("watching")
        return .written
      },
      Handler("flood") { request, reply throws(WireError) in
        let subscription = try request.subscribe()
        request.caller.connection.loop.soon { [unowned loop = request.caller.connection.loop] in
          TestHandlers.flood(subscription, loop)
        }
        reply.writeText("flooding")
        return .written
      },
    ]
  }

  private static func tick(_ subscription: Subscription, left: UInt8) {
    for number in 1...left { subscription.send([number]) }
  }

  private static func flood(_ subscription: Subscription, _ loop: EventLoop) {
    guard subscription.isOpen else { return }
    var writer = CBORWriter()
    writer.writeBytes([UInt8](repeating: 1, count: 1_000))
    subscription.send(writer.bytes)
    loop.soon { flood(subscription, loop) }
  }

  struct Size: Codable { var size: Int }
}

/// Work that takes one slice per step, whatever the slice's length, and answers with the number of its steps.
final class CountedWork: SlicedWork {
  static let advanced = Box(0)
  static let alive = Box(0)
  private var left: Int
  private let steps: Int
  private let fails: Bool

  init(steps: Int, fails: Bool) {
    (left, self.steps, self.fails) = (steps, steps, fails)
    Self.alive.change { $0 += 1 }
  }

  deinit { Self.alive.change { $0 -= 1 } }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    Self.advanced.change { $0 += 1 }
    left -= 1
    guard left <= 0 else { return false }
    if fails { throw WireError(.notFound, "nothing after \(steps) steps") }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) { reply.writeUnsigned(UInt64(steps)) }
}

/// A handler made of a closure.
final class Handler: RequestHandler {
  typealias Body = (Request, inout CBORWriter) throws(WireError) -> Answer
  let method: String
  private let body: Body

  init(_ method: String, _ body: @escaping Body) {
    self.method = method
    self.body = body
  }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try body(request, &reply)
  }
}

/// An answer as it came.
struct Answered: Decodable, Equatable {
  var id: UInt64
  var result: CBORValue?
  var error: WireError?
  var event: CBORValue?
}

extension RawClient {
  /// Sends a request with encoded parameters.
  func ask(_ id: UInt64, _ method: String, _ params: [UInt8] = [0xA0]) throws {
    try sendFrame(Self.request(id, method, params))
  }

  /// Sends a request with a size.
  func ask(_ id: UInt64, _ method: String, size: Int) throws {
    try ask(id, method, try CBOREncoder().encode(TestHandlers.Size(size: size)))
  }

  /// The next answer; nil at the end.
  func answer() throws -> Answered? {
    guard let payload = try receiveFrame() else { return nil }
    return try CBORDecoder().decode(Answered.self, from: payload)
  }

  static func request(_ id: UInt64, _ method: String, _ params: [UInt8] = [0xA0]) -> [UInt8] {
    var writer = CBORWriter()
    writer.writeMap(count: 3)
    writer.writeKey("id")
    writer.writeUnsigned(id)
    writer.writeKey("method")
    writer.writeText(method)
    writer.writeKey("params")
    writer.writeEncoded(params)
    return writer.bytes
  }
}
