@_exported public import Base
import CBOR
import CitiesProtocol
import FrameService

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
