import CLinux
import CitiesProtocol

/// The limits of a service for its peers, each with a name; the defaults are those in the protocol's README.
///
/// A connection above a limit is accepted, refused with `busy` and the limit's name, and closed, so that its user sees
/// the reason. A peer that does not read is not served until it does (back-pressure); nothing is dropped silently.
package struct ServiceLimits: Sendable, Equatable {
  /// The default duration of a turn, in nanoseconds.
  ///
  /// Checking the sockets after each one costs less than a hundredth of it.
  package static let usualTurn: Int64 = 250_000

  /// Open connections.
  package var connections = 4_096
  /// Open connections per user (`SO_PEERCRED`).
  package var connectionsPerUser = 1_024
  /// The part of ``connections`` that is reserved for root and the server's own user, but at most a quarter.
  package var reservedConnections = 16
  /// Subscribed connections.
  package var subscribers = 1_024
  /// Subscribed connections per user.
  package var subscribersPerUser = 256
  /// `watch` requests per connection.
  package var subscriptionsPerConnection = 16
  /// Requests per user whose answers are promised (`refresh`).
  package var pendingPerUser = 64
  /// The largest payload of a request, in bytes.
  package var requestBytes = Frame.maximumRequest
  /// The largest payload of a reply, in bytes.
  package var replyBytes = Frame.maximumReply
  /// The nesting depth of arrays, maps and tags in a request.
  package var requestDepth = Frame.maximumDepth
  /// Items in a request.
  package var requestItems = Frame.maximumRequestItems
  /// Requests of one connection per turn; the others wait for the next turn and are not refused.
  package var pipelined = 1_024
  /// The duration of a connection's turn, in nanoseconds.
  package var turn = Self.usualTurn
  /// Turns after which a request that is still in progress waits for those of all users: 2 s.
  package var turnsBeforeRest = 8_000
  /// The time in one turn of the loop after which no further client gets a turn before new events are recorded, in
  /// nanoseconds.
  ///
  /// Together with one complete ``turn`` and the time for new connections, a turn of the loop stays below a
  /// millisecond.
  package var clientTime: Int64 = 125_000
  /// Bytes of answers to collect before they are sent, and so (with one reply) the most that is queued for a slow
  /// reader.
  package var outputBytes = 64 * 1024
  /// Bytes of events to queue for one subscriber; a slower one is dropped.
  package var subscriberBytes = 256 * 1024
  /// Bytes to queue for all slow readers; a connection that exceeds this is dropped.
  package var queuedBytes = 64 * 1024 * 1024
  /// Bytes to queue for the slow readers of one user.
  package var queuedBytesPerUser = 16 * 1024 * 1024
  /// The time in which an incomplete frame must be completed, in nanoseconds.
  package var frameTime: Int64 = 10_000_000_000
  /// The time in which a slow reader must read something, in nanoseconds.
  package var stallTime: Int64 = 30_000_000_000
  /// The time that stopping may take for unanswered requests and unread replies, in nanoseconds.
  package var drainTime: Int64 = 3_000_000_000
  /// Connections to accept in one turn of the loop: a full backlog of 1,024 is empty after four.
  package var acceptsPerTurn = 256
  /// The time for accepting connections in one turn of the loop, in nanoseconds.
  ///
  /// It is less than ``clientTime``, because closing connections that hang up at once takes time, too.
  package var acceptTime: Int64 = 75_000
  /// The pause of the listener when there are no descriptors, in nanoseconds, unless a connection closes earlier.
  package var acceptPause: Int64 = 100_000_000

  /// Creates the default limits.
  package init() {}

  /// The limits reported by `hello`, by name.
  package var byName: [String: UInt64] {
    [
      LimitName.connections: UInt64(connections), LimitName.connectionsPerUser: UInt64(connectionsPerUser),
      LimitName.subscribers: UInt64(subscribers), LimitName.request: UInt64(requestBytes),
      LimitName.reply: UInt64(replyBytes),
    ]
  }

  /// The number of connections reserved for root and the server's own user.
  var keptForTrusted: Int { min(reservedConnections, connections / 4) }

  /// Raises the limit of descriptors as far as these limits need, with 64 for files and threads, and the hard limit
  /// allows.
  ///
  /// If it does not suffice, clients are refused with that reason when descriptors run out.
  package func raiseDescriptorLimit() { _ = linux_raise_descriptor_limit(UInt64(connections) + 64) }
}

/// The names of limits in `data.limit` of `busy`, `frame-too-large` and `malformed`.
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
  /// The descriptors of the process.
  package static let descriptors = "descriptors"
}
