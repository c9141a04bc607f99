internal import System

/// Where to look for the server's socket.
///
/// ```swift
/// let location = SocketLocation()                    // CITIES_SOCKET, else the two usual places
/// let tests = SocketLocation(path: "/tmp/test.sock") // exactly there
/// ```
///
/// The rule: a path given explicitly, else the variable `CITIES_SOCKET`, else the first *existing* of
/// `$XDG_RUNTIME_DIR/cities/citiesd.sock` and `/run/cities/citiesd.sock`. A socket that exists but refuses connections
/// is an error, never a reason to try the next one: two servers may have different data. Only a socket below
/// `XDG_RUNTIME_DIR` that another user could have made counts as missing. If no socket exists, a program may ask for a
/// private server (``startsPrivateServer``).
public struct SocketLocation: Sendable, Equatable {
  /// The environment variable that names the socket.
  public static let variable = "CITIES_SOCKET"
  /// The socket of the system's server.
  public static let systemPath = "/run/cities/citiesd.sock"

  /// The program of a private server, in the running program's folder.
  static let serverName = "citiesd"

  /// The paths in the order in which they are tried; empty if a private server is wanted in any case.
  public var candidates: [String]
  /// Whether `citiesd` in the running program's folder is started for this connection alone if no socket exists.
  ///
  /// It is looked for in that folder only, never through `PATH`. It is never started if a socket was named.
  public var startsPrivateServer = false
  /// The candidate in `XDG_RUNTIME_DIR`, which may be another user's folder.
  private(set) var ofRuntimeFolder: String?

  /// Applies the rule above to `path` and the environment of this process.
  ///
  /// - Parameters:
  ///   - path: The socket, if it was named.
  ///   - startsPrivateServer: Whether to start a private server if neither `path` nor the variable names a socket.
  public init(path: String? = nil, startsPrivateServer: Bool = false) {
    self.init(path: path, environment: ProcessEnvironment.variable)
    self.startsPrivateServer = startsPrivateServer && path == nil && ProcessEnvironment.value(Self.variable) == nil
  }

  /// Applies the rule above to `path` and the variables of `environment`.
  ///
  /// An empty variable counts as unset; a relative `XDG_RUNTIME_DIR` is ignored, as the XDG Base Directory
  /// Specification demands.
  public init(path: String?, environment: (String) -> String?) {
    if let path {
      candidates = [path]
    } else if let named = environment(Self.variable), !named.isEmpty {
      candidates = [named]
    } else if let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") {
      let path = folder + "/cities/citiesd.sock"
      (candidates, ofRuntimeFolder) = ([path, Self.systemPath], path)
    } else {
      candidates = [Self.systemPath]
    }
  }
}
