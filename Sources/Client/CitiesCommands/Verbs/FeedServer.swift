internal import CitiesClient
internal import CitiesProtocol
internal import Glibc
internal import System

/// A running server, seen by commands about feeds: whose configuration it has.
struct FeedServer {
  /// The configuration of root and system users.
  static let systemConfiguration = "/etc/cities/sync.json"

  /// Its socket.
  let path: String
  private let user: UInt32

  /// Connects `client` if it is not connected; `nil` without a running server.
  init?(_ client: Client) {
    guard (try? client.connect()) != nil, let path = client.serverPath, let user = client.serverUser else { return nil }
    (self.path, self.user) = (path, user)
  }

  private var isOfSystem: Bool { user <= ProcessEnvironment.highestSystemUser }

  /// Whether its configuration is the one that the caller's commands read and change.
  var hasCallersConfiguration: Bool {
    user == geteuid() || isOfSystem && geteuid() <= ProcessEnvironment.highestSystemUser
  }

  /// Its configuration file, if it is the system's and the caller may read it.
  var readableConfiguration: String? {
    isOfSystem && access(Self.systemConfiguration, R_OK) == 0 ? Self.systemConfiguration : nil
  }

  /// The start of a command that changes its configuration.
  var sudo: String { isOfSystem ? "sudo" : "sudo -u '#\(user)'" }
}

extension Status.Reply {
  /// Whether the sync service has reported its feeds.
  var knowsSources: Bool { sync == StatusVerb.reachedSync || hasSource }

  fileprivate var hasSource: Bool { feeds.contains { $0.source != nil } }

  /// Whether the server has been running for less than `seconds`.
  fileprivate func isYounger(than seconds: Int64) -> Bool {
    started.secondsSince1970.map { (0..<seconds).contains(SystemClock.seconds() - $0) } ?? false
  }
}

extension Client {
  /// Seconds within which the sync service reports its feeds to a server that has just been started.
  private static let settling: Int64 = 3
  /// The time between two requests until then, in milliseconds.
  private static let settlingPause: Int32 = 50

  /// The status; a server that has just been started is asked again until the reports of its feeds no longer change.
  func settledStatus() throws(ClientError) -> Status.Reply {
    var last: [FeedReport]?
    while true {
      let reply = try send(Status())
      let isSettled = reply.sync != StatusVerb.newSync && reply.hasSource && reply.feeds == last
      guard !isSettled, reply.private != true, reply.isYounger(than: Self.settling) else { return reply }
      last = reply.feeds
      MonotonicClock.pause(milliseconds: Self.settlingPause)
    }
  }
}
