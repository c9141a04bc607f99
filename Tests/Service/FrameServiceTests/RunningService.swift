import CBOR
import CitiesProtocol
import Coroutines
import Glibc
import Logging
import TestSupport

@testable import FrameService

/// A service with the handlers of a test, on a thread and a socket of its own.
final class RunningService: Sendable {
  let path: String
  let folder: TemporaryFolder
  let mailbox: Mailbox
  private let thread: BackgroundThread
  private let started: Box<Started?>
  private let ended: Box<ServiceCounts?>

  /// Starts a service; `configure` may change it before it serves.
  init(
    _ limits: ServiceLimits = .init(), configure: @escaping @Sendable (FramedService) -> Void = { _ in }
  ) throws {
    let folder = try TemporaryFolder()
    let socket = try ListeningSocket(binding: folder.path("x.sock"), mode: 0o600)
    let (started, ended) = (Box<Started?>(nil), Box<ServiceCounts?>(nil))
    thread = BackgroundThread {
      do {
        let service = try FramedService(
          name: "test", handlers: TestHandlers.all(), limits: limits,
          log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        configure(service)
        started.value = Started(service)
        try service.run(on: socket, signals: false)
        ended.value = service.counts
      } catch {
        fatalError("the test's service failed: \(error)")
      }
    }
    mailbox = started.wait().mailbox
    self.folder = folder
    path = folder.path("x.sock")
    (self.started, self.ended) = (started, ended)
  }

  deinit {
    stop()
    _ = finish()
  }

  /// The service; `Sendable` because only its thread owns and uses it.
  private struct Started: @unchecked Sendable {
    unowned let service: FramedService
    let mailbox: Mailbox
    init(_ service: FramedService) { (self.service, mailbox) = (service, service.loop.mailbox) }
  }

  /// Runs `body` on the service's thread and waits for it.
  func onLoop<Result: Sendable>(_ body: @escaping @Sendable (FramedService) -> Result) -> Result {
    let result = Box<Result?>(nil)
    let started = started.wait()
    mailbox.post { loop in loop.soon { result.value = body(started.service) } }
    return result.wait()
  }

  /// Makes it stop.
  func stop() {
    guard !hasEnded else { return }
    let started = started.wait()
    mailbox.post { loop in loop.soon { started.service.stop("test") } }
  }

  var hasEnded: Bool { ended.value != nil }

  /// What it did, after it has ended.
  func finish() -> ServiceCounts {
    let counts = ended.wait()
    thread.join()
    return counts
  }

  /// A client, which keeps the service running.
  func client() throws -> RawClient {
    let client = try RawClient(path)
    client.keeps = self
    return client
  }
}

/// The handlers of the tests' service.
enum TestHandlers {
  static func all() -> [any RequestHandler] {
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
        let pending = try request.caller.later()
        request.caller.connection.loop.schedule(after: Int64(size) * 1_000_000) { pending.succeed("late") }
        return .later(pending)
      },
      Handler("at-once") { request, _ throws(WireError) in
        let pending = try request.caller.later()
        pending.succeed("now")
        return .later(pending)
      },
      Handler("later-and-fail") { request, _ throws(WireError) in
        _ = try request.caller.later()
        throw WireError(.internal, "changed its mind")
      },
      Handler("work") { request, _ throws(WireError) in
        let pending = try request.caller.later()
        request.caller.connection.loop.offload({ (0..<1_000).reduce(0, +) }) { pending.succeed($0) }
        return .later(pending)
      },
      Handler("forever") { request, _ throws(WireError) in
        .later(try request.caller.later())
      },
      Handler("steps") { request, _ throws(WireError) in
        .counted(steps: try request.decode(Size.self).size)
      },
      Handler("steps-then-fail") { request, _ throws(WireError) in
        .counted(steps: try request.decode(Size.self).size, fails: true)
      },
      Handler("watch") { request, reply throws(WireError) in
        let subscription = try request.caller.subscribe()
        request.caller.connection.loop.soon { TestHandlers.tick(subscription, left: 3) }
        reply.writeText("watching")
        return .written
      },
      Handler("flood") { request, reply throws(WireError) in
        let subscription = try request.caller.subscribe()
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

extension Answer {
  /// A computation that takes one slice per step, whatever the slice's length, and answers with the number of its
  /// steps; it is counted in `alive` as long as it exists.
  static func counted(steps: Int, fails: Bool = false, alive: Box<Int> = Box(0)) -> Answer {
    let presence = Presence(alive)
    return .computed(from: []) { budget in
      defer { withExtendedLifetime(presence) {} }
      for _ in 0..<max(steps - 1, 0) { try await budget.pause() }
      if fails { throw WireError(.notFound, "nothing after \(steps) steps") }
      return { (reply: inout CBORWriter) throws(WireError) in reply.writeUnsigned(UInt64(steps)) }
    }
  }
}

/// Counts itself as long as it exists.
final class Presence {
  private let alive: Box<Int>

  init(_ alive: Box<Int>) {
    self.alive = alive
    alive.change { $0 += 1 }
  }

  deinit { alive.change { $0 -= 1 } }
}

/// A handler made of a closure.
final class Handler: RequestHandler {
  typealias Body = (UncheckedRequest, inout CBORWriter) throws(WireError) -> Answer
  let method: String
  private let body: Body

  init(_ method: String, _ body: @escaping Body) {
    self.method = method
    self.body = body
  }

  func read(_ request: UncheckedRequest) throws(WireError) -> UncheckedRequest {
    _ = try request.decode(CBORValue.self)
    return request
  }

  func answer(
    _ request: UncheckedRequest, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
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
    writer.writeText("id")
    writer.writeUnsigned(id)
    writer.writeText("method")
    writer.writeText(method)
    writer.writeText("params")
    writer.writeEncoded(params)
    return writer.bytes
  }
}
