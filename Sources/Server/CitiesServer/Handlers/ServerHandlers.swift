import Banks
import CBOR
import Cities
import CitiesProtocol
import FrameService
import Glibc

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
      "\(ServerVersion.name) speaks protocol \(ours), \(hello.client.excerpt(64)) speaks \(theirs); update the older one",
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
        folder: server.configuration.stateFolder, private: server.configuration.isPrivate ? true : nil,
        holidaysUntil: HolidayTable.shipped.lastDay.map { Timestamp(text: "\($0)T00:00:00Z") },
        counters: server.service.counters, rules: PlaceRules.version))
    return .written
  }
}

/// `introspect`: the schema and the methods of this build.
final class IntrospectHandler: RequestHandler {
  private static let schema = String(decoding: Schema.cddl, as: UTF8.self)

  func answer(_: Introspect, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try reply.write(
      Introspect.Reply(
        schema: Self.schema, methods: MessageRegistry.public.map { $0.method },
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
    guard !server.configuration.isPrivate else {
      throw WireError(
        .unavailable, MissingData.noServer,
        data: ErrorData(subject: asked.first?.subject ?? .banks, phase: ErrorData.noServer, running: false))
    }
    let pending = try caller.later()
    let ticket = sync.refresh(asked.isEmpty ? known : asked, isForced ? .forced : .due) { [unowned server] outcomes in
      // The answer to the next request has the new data. A server that stops opens no file.
      guard !sync.isStopping else { return pending.succeed(Refresh.Reply(feeds: outcomes)) }
      server.checkFiles { pending.succeed(Refresh.Reply(feeds: outcomes)) }
    }
    pending.onCancel { [unowned sync] in sync.forget(ticket) }
    return .later(pending)
  }
}
