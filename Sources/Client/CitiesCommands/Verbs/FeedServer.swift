internal import CitiesClient
internal import CitiesProtocol
internal import Glibc
internal import System

/// A running server from the viewpoint of commands for feeds: the owner of its configuration.
struct FeedServer {
  /// The configuration used by root and system users.
  static let systemConfiguration = "/etc/cities/sync.json"

  let path: String
  private let user: UInt32

  /// Connects `client` if necessary; `nil` without a running server.
  init?(_ client: Client) {
    guard (try? client.connect()) != nil, let path = client.serverPath, let user = client.serverUser else { return nil }
    (self.path, self.user) = (path, user)
  }

  private var isOfSystem: Bool { user <= ProcessEnvironment.highestSystemUser }

  /// Whether its configuration is the one that the caller's commands read and change.
  var hasCallersConfiguration: Bool {
    user == geteuid() || isOfSystem && geteuid() <= ProcessEnvironment.highestSystemUser
  }

  /// Its configuration file, if that is the system's.
  var configuration: String? {
    isOfSystem && access(Self.systemConfiguration, F_OK) == 0 ? Self.systemConfiguration : nil
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
  /// The seconds within which the sync service reports its feeds to a server that has just started.
  private static let settling: Int64 = 3
  /// The time between two requests during that period, in milliseconds.
  private static let settlingPause: Int32 = 50

  /// The status; a server that has just started is polled until the reports of its feeds stop changing.
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
