import Banks
import CBOR
import CitiesProtocol
import FrameService
import Glibc
import Resident
import System

extension QueryServer {
  /// Every method of the public socket, frequent ones first; a test compares them with the registry.
  func makeHandlers() -> [any MethodHandler] {
    let bankFeeds = BankFeeds(feeds) { [unowned self] in missing($0) }
    let aboutBanks: [any MethodHandler] = [
      BankRegionsHandler(banks, bankFeeds), BankListHandler(banks, bankFeeds), BankSearchHandler(banks, bankFeeds),
      BankGetHandler(banks, bankFeeds), BankNearHandler(banks, bankFeeds, cities),
    ]
    let aboutTrade: [any MethodHandler] = [
      ProductListHandler(desk), ProductGetHandler(desk), RateListHandler(desk), RateConvertHandler(desk),
    ]
    let served = ServedCities(cities, feeds)
    var all: [any MethodHandler] = [
      CitySearchHandler(cities, feeds), CityFindHandler(served), CityGetHandler(served), CityNearHandler(served),
      CityWithinHandler(served), CityLocateHandler(served), CityMatchHandler(served), CityTimeHandler(served),
    ]
    all += aboutBanks.map { WantingHandler($0, banks, sync) }
    all += aboutTrade.map { WantingHandler($0, trade, sync) }
    return all + [
      HelloHandler(self), StatusHandler(self), WatchHandler(self), RefreshHandler(self), IntrospectHandler(),
    ]
  }
}

/// A method whose first request triggers a refresh of the subject's feeds; another handler answers.
///
/// The refresh starts before the answer is computed, so that the reply to a request without data says that it is in
/// progress. So do all replies until the first data is complete.
final class WantingHandler: MethodHandler {
  let method: String
  let isStrict: Bool
  private let handler: any MethodHandler
  private let subject: any SubjectState
  private let sync: SyncClient

  init(_ handler: any MethodHandler, _ subject: any SubjectState, _ sync: SyncClient) {
    (self.handler, self.subject, self.sync) = (handler, subject, sync)
    (method, isStrict) = (handler.method, handler.isStrict)
  }

  func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    sync.want(subject)
    guard !sync.isFilling(subject) else {
      throw WireError(
        .unavailable, "\(subject.subject.rawValue): no data yet: its sources are being contacted for the first time",
        data: ErrorData(subject: subject.subject, phase: "downloading", running: true))
    }
    return try handler.respond(to: request, into: &reply)
  }
}

/// `hello`: the server, its version and its subjects.
///
/// Never delayed.
final class HelloHandler: RequestHandler {
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_ hello: Hello, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let common = Set(hello.protocols).intersection(ProtocolVersion.supported)
    guard let version = common.max() else { throw Self.mismatch(hello) }
    try reply.write(
      Hello.Reply(
        protocol: version, server: ServerVersion.name, ready: server.ready(), generations: server.generations(),
        limits: server.service.limits.byName))
    return .written
  }

  /// Names both programs, so that the user knows which one is older.
  private static func mismatch(_ hello: Hello) -> WireError {
    let theirs = hello.protocols.prefix(8).map(String.init).joined(separator: ", ")
    let ours = ProtocolVersion.supported.map(String.init).joined(separator: ", ")
    return WireError(
      .invalidParams,
      "\(ServerVersion.name) speaks protocol \(ours), \(hello.client.prefix(64)) speaks \(theirs); update the older one",
      data: ErrorData(param: "protocols", protocols: ProtocolVersion.supported))
  }
}

/// `status`: the server, its subjects and its feeds.
final class StatusHandler: RequestHandler {
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_: Status, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try reply.write(
      Status.Reply(
        server: ServerVersion.name, pid: UInt64(getpid()), started: server.started,
        connections: UInt64(server.service.connectionCount), requests: server.service.counts.answered,
        subjects: server.subjects.map(\.status), feeds: server.feeds.all, sync: server.sync.state,
        folder: server.stateFolder, private: server.isPrivate ? true : nil,
        holidaysUntil: HolidayTable.shipped.lastDay.map { Timestamp(text: "\($0)T00:00:00Z") },
        counters: server.service.counters))
    return .written
  }
}

/// `introspect`: the schema and the methods of this build.
final class IntrospectHandler: RequestHandler {
  func answer(_: Introspect, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try reply.write(
      Introspect.Reply(
        schema: String(decoding: Schema.cddl, as: UTF8.self), methods: MessageRegistry.public.map { $0.method },
        protocols: ProtocolVersion.supported, server: ServerVersion.name))
    return .written
  }
}

/// `refresh`: refreshes feeds; answered when all have finished, or after a timeout with `running` for the others.
final class RefreshHandler: RequestHandler {
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_ refresh: Refresh, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let asked = refresh.feeds ?? []
    let sync = server.sync
    // Each name has an outcome: a long list of repeated names would make the replies of all callers long at once.
    let known = sync.feeds
    guard asked.count <= known.count else {
      throw .invalidParam("feeds", "\(asked.count) names; there are \(known.count) feeds")
    }
    if let unknown = asked.first(where: { !known.contains($0) }) {
      let name = unknown.rawValue
      throw .unknownName("feeds", name, "there is no feed \"\(name.excerpt(64))\"", of: known.map(\.rawValue))
    }
    let isForced = refresh.force ?? false
    guard !isForced || caller.peer.isTrusted else {
      throw WireError(.permissionDenied, "only root and the server's own user may force a refresh")
    }
    guard !server.isPrivate else {
      throw WireError(
        .unavailable, MissingData.noServer,
        data: ErrorData(subject: asked.first?.subject ?? .banks, phase: ErrorData.noServer, running: false))
    }
    let pending = try caller.later()
    let ticket = sync.refresh(asked.isEmpty ? known : asked, isForced ? .forced : .due) { outcomes in
      pending.succeed(Refresh.Reply(feeds: outcomes))
    }
    pending.onCancel { [unowned sync] in sync.forget(ticket) }
    return .later(pending)
  }
}

/// `watch`: the current state, then events until the connection closes.
final class WatchHandler: RequestHandler {
  private unowned let server: QueryServer

  init(_ server: QueryServer) { self.server = server }

  func answer(_ watch: Watch, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let wanted = watch.subjects ?? []
    let known = server.subjects.map(\.subject)
    if let unknown = wanted.first(where: { !known.contains($0) }) {
      let name = unknown.rawValue
      throw .unknownName("subjects", name, "there is no subject \"\(name.excerpt(64))\"", of: known.map(\.rawValue))
    }
    server.watchers.add(try caller.subscribe(), wanted)
    for state in server.subjects where wanted.isEmpty || wanted.contains(state.subject) { server.sync.want(state) }
    try reply.write(Watch.Reply(ready: server.ready(wanted), generations: server.generations(wanted)))
    return .written
  }
}

/// The subscribers.
final class Watchers {
  private struct Watcher {
    let subscription: Subscription
    /// The requested subjects; `nil` for all.
    let subjects: Set<Subject>?
  }

  private var watchers: [Watcher] = []

  /// Adds a subscriber for `subjects`; an empty list means all.
  func add(_ subscription: Subscription, _ subjects: [Subject]) {
    watchers.removeAll { !$0.subscription.isOpen }
    watchers.append(Watcher(subscription: subscription, subjects: subjects.isEmpty ? nil : Set(subjects)))
  }

  /// Sends `event` to the subscribers of its subject.
  func send(_ event: Watch.Event) {
    guard !watchers.isEmpty, let bytes = try? CBOREncoder().encode(event) else { return }
    for watcher in watchers where isWanted(event, watcher) { watcher.subscription.send(bytes) }
    watchers.removeAll { !$0.subscription.isOpen }
  }

  private func isWanted(_ event: Watch.Event, _ watcher: Watcher) -> Bool {
    guard let subject = event.subject, let wanted = watcher.subjects else { return true }
    return wanted.contains(subject)
  }
}

extension Timestamp {
  /// The current time.
  static var now: Timestamp { Timestamp(secondsSince1970: secondsNow) }
  /// The current time in seconds since 1970-01-01T00:00:00Z.
  static var secondsNow: Int64 { SystemClock.seconds() }

  /// The modification time of a file; `nil` if RFC 3339 cannot represent it.
  init?(ofFile identity: FileIdentity) {
    self.init(secondsSince1970: identity.secondsModified)
    if secondsSince1970 == nil { return nil }
  }
}
