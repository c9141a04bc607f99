package import FrameService
import Resident
import System

/// The locations of the server's data and peers, and the limits for clients.
package struct ServerConfiguration: Sendable {
  /// The folder that `citiesd-sync` writes.
  package var stateFolder: String
  /// Folders with prebuilt files (``ResidentKind/installedName``), in search order; used as long as the state folder
  /// has none.
  package var shareFolders: [String]
  /// The sync service's socket; `nil` without a sync service.
  package var syncSocket: String?
  /// Whether somebody has named that socket; otherwise only a service of root, the server's user or a system user is
  /// used.
  package var isSyncSocketNamed = true
  /// The list of subordinate user ids (subuid(5)); `nil` if every id is a user.
  package var subordinateUsers: String?
  /// Whether it serves a single connection that it inherited, without background work.
  package var isPrivate = false
  /// The limits for clients.
  package var limits = ServiceLimits()
  /// The time without a connection after which it exits, in nanoseconds; `nil` for never.
  package var idleExit: Int64?
  /// The time after which `refresh` reports a feed as `running`, in nanoseconds.
  package var refreshWait: Int64 = 20_000_000_000
  /// The timeout for replies of the sync service that need no work, in nanoseconds.
  package var syncPatience: Int64 = 5_000_000_000
  /// The interval of requests to the sync service, in nanoseconds.
  package var refreshInterval: Int64 = 3_600_000_000_000
  /// The time for which the older generation is kept for clients that page through it, in nanoseconds.
  package var generationGrace: Int64 = 60_000_000_000

  /// Creates a configuration with the given folders and socket, and defaults for everything else.
  package init(stateFolder: String, shareFolders: [String] = [], syncSocket: String? = nil) {
    self.stateFolder = stateFolder
    self.shareFolders = shareFolders
    self.syncSocket = syncSocket
  }

  /// Reads the environment; the sync service's socket is expected next to `socket`, the server's own.
  ///
  /// - Throws: ``ServiceError`` with the exit code for wrong usage if a variable is not a number, a number is out of
  ///   range, or no state folder is known.
  package init(environmentBeside socket: String) throws(ServiceError) {
    do {
      stateFolder = try StateFolder().path
    } catch {
      throw ServiceError("\(error)", .usage)
    }
    shareFolders = Self.shareFolders
    let named = ProcessEnvironment.value("CITIES_SYNC_SOCKET")
    (syncSocket, isSyncSocketNamed) = (named ?? "\(parentFolder(of: socket))/sync.sock", named != nil)
    subordinateUsers = "/etc/subuid"
    idleExit = try Self.number("CITIESD_IDLE_EXIT", 1...31_536_000).map { Int64($0) * 1_000_000_000 }
    limits.connections = try Self.number("CITIESD_MAX_CONNECTIONS", 1...1_000_000) ?? limits.connections
    limits.connectionsPerUser =
      try Self.number("CITIESD_MAX_CONNECTIONS_PER_UID", 1...1_000_000) ?? limits.connectionsPerUser
  }

  /// The configuration of a private server: its caller's state folder, then the installed files, without a sync
  /// service.
  ///
  /// If the caller has no state folder, as in a container without a home, it is the system's.
  package static var `private`: ServerConfiguration {
    let state = (try? StateFolder().path) ?? StateFolder.system
    var configuration = ServerConfiguration(stateFolder: state, shareFolders: shareFolders)
    configuration.isPrivate = true
    return configuration
  }

  /// `../share/cities` relative to the running program, then the usual places.
  private static var shareFolders: [String] {
    let usual = ["/usr/local/share/cities", "/usr/share/cities"]
    guard let program = ProcessEnvironment.program else { return usual }
    let own = "\(parentFolder(of: program))/../share/cities"
    let installed = resolvedPath(own) ?? own
    return [installed] + usual.filter { $0 != installed }
  }

  private static func number(_ variable: String, _ range: ClosedRange<Int>) throws(ServiceError) -> Int? {
    guard let text = ProcessEnvironment.value(variable) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw ServiceError(
        "\(variable)=\(text): expected a number from \(range.lowerBound) to \(range.upperBound)", .usage)
    }
    return number
  }
}

/// The program's version.
package enum ServerVersion {
  /// The name and number, as in `hello` and `--version`.
  package static let name = "citiesd \(ProgramVersion.number)"
}
