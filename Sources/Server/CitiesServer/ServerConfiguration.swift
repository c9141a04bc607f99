package import FrameService
import Resident
import System

/// Where the server finds its data and its peers, and what it lets clients take; all of it comes from the environment.
package struct ServerConfiguration: Sendable {
  /// The folder that `citiesd-sync` writes.
  package var stateFolder: String
  /// Prebuilt files that serve as long as the state folder has none, by ``ResidentKind/installedName``: folders in the
  /// order of search.
  package var shareFolders: [String]
  /// The sync service's socket; nil if there is none to ask.
  package var syncSocket: String?
  /// Whether it serves one connection that it was given, and works for nothing else.
  package var isPrivate = false
  /// What clients may take.
  package var limits = ServiceLimits()
  /// Time without a connection after which it exits, in nanoseconds; nil for never.
  package var idleExit: Int64?
  /// How long `refresh` waits for a feed before it says `running`, in nanoseconds.
  package var refreshWait: Int64 = 20_000_000_000
  /// How long the sync service may take for an answer that needs no work, in nanoseconds.
  package var syncPatience: Int64 = 5_000_000_000
  /// How often the sync service is asked, in nanoseconds.
  package var refreshInterval: Int64 = 3_600_000_000_000
  /// How long the older generation stays for those who page through it, in nanoseconds.
  package var generationGrace: Int64 = 60_000_000_000

  /// Takes the folders and the sync service's socket as given, everything else as usual.
  package init(stateFolder: String, shareFolders: [String] = [], syncSocket: String? = nil) {
    self.stateFolder = stateFolder
    self.shareFolders = shareFolders
    self.syncSocket = syncSocket
  }

  /// Reads the environment; `socket` is the server's own, which the sync service's lies beside.
  ///
  /// - Throws: if a variable is not a number or no state folder is known, with the exit code for wrong use.
  package init(environmentBeside socket: String) throws(ServiceError) {
    do {
      stateFolder = try StateFolder().path
    } catch {
      throw ServiceError("\(error)", .usage)
    }
    shareFolders = Self.shareFolders
    syncSocket = ProcessEnvironment.value("CITIES_SYNC_SOCKET") ?? "\(parentFolder(of: socket))/sync.sock"
    idleExit = try Self.number("CITIESD_IDLE_EXIT", 1...31_536_000).map { Int64($0) * 1_000_000_000 }
    limits.connections = try Self.number("CITIESD_MAX_CONNECTIONS", 1...1_000_000) ?? limits.connections
    limits.connectionsPerUser =
      try Self.number("CITIESD_MAX_CONNECTIONS_PER_UID", 1...1_000_000) ?? limits.connectionsPerUser
  }

  /// The configuration of a private server: its caller's state folder, then the installed files, and no sync service.
  ///
  /// Without a state folder that can be named, as in a container without a home, it is that of the system.
  package static var `private`: ServerConfiguration {
    let state = (try? StateFolder().path) ?? StateFolder.system
    var configuration = ServerConfiguration(stateFolder: state, shareFolders: shareFolders)
    configuration.isPrivate = true
    return configuration
  }

  /// `../share/cities` of the program that runs, then the usual places.
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
  /// Name and number, as in `hello` and `--version`.
  package static let name = "citiesd \(ProgramVersion.number)"
}
