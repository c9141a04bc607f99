/// `status`: the server, its subjects and its feeds.
public struct Status: RequestMessage {
  /// The method's name.
  public static let method = "status"
  /// Makes the request.
  public init() {}

  /// The state of the server.
  public struct Reply: Codable, Equatable, Sendable {
    /// The server's name and version.
    public var server: String
    /// Its process id.
    public var pid: UInt64
    /// When it started.
    public var started: Timestamp
    /// Connections open now.
    public var connections: UInt64
    /// Requests answered since the start.
    public var requests: UInt64
    /// Every subject of this build.
    public var subjects: [SubjectStatus]
    /// Every feed of this build, as last reported by the sync service; unreported ones have only their name.
    public var feeds: [FeedReport]
    /// `ok` if `citiesd-sync` could be reached, else the reason.
    public var sync: String
    /// The folder whose resident files override the installed ones; absent from older servers.
    public var folder: String?
    /// True if the server was started for this connection only, because no socket was found; else absent.
    public var `private`: Bool?
    /// The last day whose public holidays are known, at 00:00 UTC; absent from older servers.
    public var holidaysUntil: Timestamp?
    /// Numbers for monitoring, by name; absent from older servers.
    public var counters: [String: UInt64]?

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case server, pid, started, connections, requests, subjects, feeds, sync, folder, `private`, counters
      case holidaysUntil = "holidays_until"
    }

    /// Makes a reply.
    public init(
      server: String, pid: UInt64, started: Timestamp, connections: UInt64, requests: UInt64,
      subjects: [SubjectStatus], feeds: [FeedReport], sync: String, folder: String? = nil, private: Bool? = nil,
      holidaysUntil: Timestamp? = nil, counters: [String: UInt64]? = nil
    ) {
      self.server = server
      self.pid = pid
      self.started = started
      self.connections = connections
      self.requests = requests
      self.subjects = subjects
      self.feeds = feeds
      self.sync = sync
      self.folder = folder
      self.private = `private`
      self.holidaysUntil = holidaysUntil
      self.counters = counters
    }
  }

  /// One subject.
  public struct SubjectStatus: Codable, Equatable, Sendable {
    /// The subject.
    public var subject: Subject
    /// Whether it can answer.
    public var ready: Bool
    /// The state, such as `ready`, `loading`, `no data`.
    public var phase: String
    /// Its records.
    public var records: UInt64?
    /// Its generation, 16 hexadecimal digits.
    public var generation: String?
    /// The resident file.
    public var path: String?
    /// Why the newest file was refused; else the problem with serving the file, if any.
    public var problem: String?
    /// When the resident file was written, that is, the data imported; absent from older servers.
    public var written: Timestamp?

    /// Makes a status.
    public init(
      subject: Subject, ready: Bool, phase: String, records: UInt64? = nil, generation: String? = nil,
      path: String? = nil, problem: String? = nil, written: Timestamp? = nil
    ) {
      self.subject = subject
      self.ready = ready
      self.phase = phase
      self.records = records
      self.generation = generation
      self.path = path
      self.problem = problem
      self.written = written
    }
  }
}
