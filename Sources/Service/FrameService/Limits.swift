import CLinux
import CitiesProtocol

/// What a service lets its peers take, each limit a named number; the defaults are the ones of the wire's README.
///
/// A connection above a limit is accepted, refused with `busy` and the limit's name, and closed, so that its user sees
/// the reason. A peer that does not read is not served further until it does (back-pressure); nothing is dropped
/// silently.
package struct ServiceLimits: Sendable, Equatable {
  /// Time of one turn unless another is given, in nanoseconds.
  ///
  /// A look at the sockets after each one costs less than a hundredth of it.
  package static let usualTurn: Int64 = 250_000

  /// Open connections in all.
  package var connections = 4_096
  /// Open connections of one user (`SO_PEERCRED`).
  package var connectionsPerUser = 1_024
  /// Places among ``connections`` that are kept for root and the server's own user; fewer where there are few in all.
  package var reservedConnections = 16
  /// Connections that watch.
  package var subscribers = 1_024
  /// Connections of one user that watch.
  package var subscribersPerUser = 256
  /// `watch` requests of one connection.
  package var subscriptionsPerConnection = 16
  /// Requests of one user whose answers are promised for later (`refresh`).
  package var pendingPerUser = 64
  /// Largest payload of a request, in bytes.
  package var requestBytes = Frame.maximumRequest
  /// Largest payload of a reply, in bytes.
  package var replyBytes = Frame.maximumReply
  /// Arrays, maps and tags inside each other, in a request.
  package var requestDepth = Frame.maximumDepth
  /// Items of a request.
  package var requestItems = Frame.maximumRequestItems
  /// Requests of one connection answered before others get their turn; the rest waits and is refused nothing.
  package var pipelined = 1_024
  /// Time one connection may work before others get their turn, in nanoseconds.
  package var turn = Self.usualTurn
  /// Time in one turn of the loop after which no further client gets its turn before new events are noted, in
  /// nanoseconds.
  ///
  /// With one whole ``turn`` after it, and with the time for new connections, a turn of the loop stays below a
  /// millisecond.
  package var clientTime: Int64 = 125_000
  /// Bytes of answers gathered before they are written, and so (with one reply) the most that waits for a slow reader.
  package var outputBytes = 64 * 1024
  /// Bytes of events that may wait for one subscriber; a slower one is dropped.
  package var subscriberBytes = 256 * 1024
  /// Bytes that may wait for slow readers in all; who asks for more is dropped.
  package var queuedBytes = 64 * 1024 * 1024
  /// Bytes that may wait for the slow readers of one user.
  package var queuedBytesPerUser = 16 * 1024 * 1024
  /// Time in which a frame that has begun must be complete, in nanoseconds.
  package var frameTime: Int64 = 10_000_000_000
  /// Time in which a slow reader must take something, in nanoseconds.
  package var stallTime: Int64 = 30_000_000_000
  /// Time that leaving may take for what is still unanswered or unread, in nanoseconds.
  package var drainTime: Int64 = 3_000_000_000
  /// Connections accepted in one turn of the loop: a full backlog of 1,024 is empty after four.
  package var acceptsPerTurn = 256
  /// Time that accepting connections may take in one turn of the loop, in nanoseconds.
  ///
  /// It is less than ``clientTime``, because connections that hang up at once take time to close, too.
  package var acceptTime: Int64 = 75_000
  /// Pause of the listener after descriptors ran out, in nanoseconds, unless a connection closes before.
  package var acceptPause: Int64 = 100_000_000

  /// The defaults.
  package init() {}

  /// The limits that `hello` reports, by name.
  package var byName: [String: UInt64] {
    [
      LimitName.connections: UInt64(connections), LimitName.connectionsPerUser: UInt64(connectionsPerUser),
      LimitName.subscribers: UInt64(subscribers), LimitName.request: UInt64(requestBytes),
      LimitName.reply: UInt64(replyBytes),
    ]
  }

  /// Places that are kept for root and the server's own user.
  var keptForTrusted: Int { min(reservedConnections, connections / 4) }

  /// Descriptors that a service with these limits needs at most, with room for its files and threads.
  package var descriptors: UInt64 { UInt64(connections) + 64 }
}

/// Names of limits as `busy`, `frame-too-large` and `malformed` carry them in `data.limit`.
package enum LimitName {
  /// ``ServiceLimits/connections``.
  package static let connections = "connections"
  /// ``ServiceLimits/connectionsPerUser``.
  package static let connectionsPerUser = "connections-per-user"
  /// ``ServiceLimits/subscribers``.
  package static let subscribers = "subscribers"
  /// ``ServiceLimits/subscribersPerUser``.
  package static let subscribersPerUser = "subscribers-per-user"
  /// ``ServiceLimits/pendingPerUser``.
  package static let pendingPerUser = "pending-per-user"
  /// ``ServiceLimits/subscriptionsPerConnection``.
  package static let subscriptionsPerConnection = "subscriptions-per-connection"
  /// ``ServiceLimits/requestBytes``.
  package static let request = "request-bytes"
  /// ``ServiceLimits/requestItems``.
  package static let items = "request-items"
  /// ``ServiceLimits/requestDepth``.
  package static let depth = "request-depth"
  /// ``ServiceLimits/replyBytes``.
  package static let reply = "reply-bytes"
  /// ``ServiceLimits/frameTime``.
  package static let frameTime = "frame-time"
  /// The process has no descriptor left.
  package static let descriptors = "descriptors"
}

extension ServiceLimits {
  /// Lets this process have the descriptors that the limits speak of, as far as the hard limit allows.
  ///
  /// Where it does not, clients are refused with that reason when they run out.
  package func raiseDescriptorLimit() { _ = linux_raise_descriptor_limit(descriptors) }
}
