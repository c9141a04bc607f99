import Glibc
import System

/// Where a service listens: on what the service manager passed, else on a path of its own.
///
/// ```swift
/// let plan = SocketPlan(name: "citiesd", file: "citiesd.sock", variable: "CITIES_SOCKET", systemMode: 0o666)
/// let socket = try plan.open()
/// ```
package struct SocketPlan: Sendable {
  /// The name under which the socket is passed (`FileDescriptorName=`).
  package var name: String
  /// The socket's name in `/run/cities` and `$XDG_RUNTIME_DIR/cities`.
  package var file: String
  /// The environment variable that names a path and wins over both.
  package var variable: String
  /// The mode of a socket that root makes; a user's is 0600.
  package var systemMode: UInt32
  /// The path to bind where the variable is not set; nil for the usual one.
  package var path: String?

  /// Makes a plan.
  package init(name: String, file: String, variable: String, systemMode: UInt32, path: String? = nil) {
    self.name = name
    self.file = file
    self.variable = variable
    self.systemMode = systemMode
    self.path = path
  }

  /// The socket, listening.
  ///
  /// - Throws: if the wrong thing was passed, or nothing and no path can be bound; the exit code is 77 where the user may
  ///   not, or where another user could redirect the path of root, 74 where the system failed, 2 where the environment does
  ///   not say.
  package func open() throws(ServiceError) -> ListeningSocket {
    if let passed = try Activation.socket(named: name) { return passed }
    let path = try makePath()
    let remedy = "set \(variable) to a path that can be bound"
    try SocketFolder.requireSafe(path, hint: remedy)
    do {
      return try ListeningSocket(binding: path, mode: geteuid() == 0 ? systemMode : 0o600)
    } catch {
      throw ServiceError(error, hint: error.code == EADDRINUSE ? "something listens there already" : remedy)
    }
  }

  private func makePath() throws(ServiceError) -> String {
    if let path = ProcessEnvironment.value(variable) ?? path { return path }
    if geteuid() == 0 { return try inFolder("/run/cities", mode: 0o755) }
    guard let runtime = ProcessEnvironment.value("XDG_RUNTIME_DIR") else {
      throw ServiceError("no socket was passed and XDG_RUNTIME_DIR is not set; set \(variable) to a path", .usage)
    }
    return try inFolder("\(runtime)/cities", mode: 0o700)
  }

  private func inFolder(_ folder: String, mode: mode_t) throws(ServiceError) -> String {
    guard mkdir(folder, mode) == 0 || errno == EEXIST else {
      throw ServiceError(
        SystemError("mkdir", folder, result: errno), hint: "set \(variable) to a path that can be bound")
    }
    return "\(folder)/\(file)"
  }
}
