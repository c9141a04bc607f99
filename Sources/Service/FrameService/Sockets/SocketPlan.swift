import CLinux
import CSystemd
import Glibc
package import System

/// Where a service listens: on the socket passed by the service manager, or else at its own path.
///
/// ```swift
/// let plan = SocketPlan(name: "citiesd", file: "citiesd.sock", variable: "CITIES_SOCKET", systemMode: 0o666)
/// let socket = try plan.open()
/// ```
package struct SocketPlan: Sendable {
  /// The name of a passed socket (`FileDescriptorName=`).
  package var name: String
  /// The socket's file name in `/run/cities` and `$XDG_RUNTIME_DIR/cities`.
  package var file: String
  /// The environment variable with a path that overrides both.
  package var variable: String
  /// The mode of a socket created by root; a user's is 0600.
  package var systemMode: UInt32
  /// The path to bind if the variable is not set; `nil` for the default.
  package var path: String?

  /// Creates a plan.
  package init(name: String, file: String, variable: String, systemMode: UInt32, path: String? = nil) {
    self.name = name
    self.file = file
    self.variable = variable
    self.systemMode = systemMode
    self.path = path
  }

  /// Opens the listening socket.
  ///
  /// - Throws: ``ServiceError`` if a wrong descriptor was passed, or if no path can be bound; the exit code is 77
  ///   without permission, or if another user could redirect root's path, 74 if a system call failed, 2 if the
  ///   environment does not determine a path.
  package func open() throws(ServiceError) -> ListeningSocket {
    if let passed = try Activation.socket(named: name) { return passed }
    let named = ProcessEnvironment.value(variable) ?? path
    let path = if let named { named } else { try makePath() }
    let remedy = "set \(variable) to a path that can be bound"
    if geteuid() == 0 || named == nil { try requireSafe(path, hint: remedy) }
    do {
      return try ListeningSocket(binding: path, mode: geteuid() == 0 ? systemMode : 0o600)
    } catch {
      throw ServiceError(error, hint: error.code == EADDRINUSE ? "something listens there already" : remedy)
    }
  }

  /// Refuses a path of which another user could change a folder.
  ///
  /// A socket is inspected, probed and removed by path. A user who can replace a folder or a link in it chooses which
  /// file root removes and where it binds. For other users a path that they have named leads to nothing that they could
  /// not reach anyway; clients do not trust a default one. In a folder with the sticky bit, such as `/tmp`, others may
  /// create files, but not rename or remove those of this user.
  ///
  /// - Throws: ``ServiceError`` with the folder or link that another user may change, and the exit code 77; with `hint`
  ///   if a folder is missing.
  private func requireSafe(_ path: String, hint: String) throws(ServiceError) {
    let doubt: String?
    do { doubt = try PathOwners.doubt(about: parentFolder(of: path)) } catch {
      throw ServiceError(SystemError("bind", path, code: error.code), hint: hint)
    }
    guard let doubt else { return }
    throw ServiceError("\(doubt), so no socket is made below it; name a path that nobody else can change", .permission)
  }

  private func makePath() throws(ServiceError) -> String {
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

/// Sockets passed by the service manager (sd_listen_fds(3)).
package enum Activation {
  /// The number of the first passed descriptor (`SD_LISTEN_FDS_START`).
  private static let firstDescriptor: Int32 = 3
  /// The name of a socket for which the manager gives none.
  private static let unnamed = "unknown"

  /// Whether a service manager passed sockets to this process; the variables do not apply to child processes, which
  /// inherit them.
  package static var isPresent: Bool { ProcessEnvironment.value("LISTEN_PID").is("\(getpid())") }

  /// The one listening Unix stream socket that was passed under `name`; `nil` if none was passed.
  ///
  /// The name is that of `FileDescriptorName=`; the unit's own name (`citiesd.socket`) and a missing name are accepted,
  /// too. The variables are removed, so that child processes do not use them.
  ///
  /// - Throws: ``ServiceError`` unless exactly one descriptor was passed, with the right name and kind. Not starting is
  ///   better than serving on a socket meant for something else.
  package static func socket(named name: String) throws(ServiceError) -> ListeningSocket? {
    guard isPresent, let library = ServiceManager.library else { return nil }
    let claimed = ProcessEnvironment.value("LISTEN_FDS") ?? ""
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = library.listen_fds_with_names(1, &names)
    guard count >= 0 else { throw refusal("LISTEN_FDS=\(claimed): \(SystemError.text(-count))") }
    guard count != 0 else { return nil }
    // The names are a few bytes that are never freed.
    guard count == 1, let first = names?.pointee else {
      throw refusal("expected 1 socket from the service manager, got \(count)")
    }
    let given = String(cString: first)
    guard [name, "\(name).socket", unnamed].contains(given) else {
      throw refusal("expected a socket named \"\(name)\" from the service manager, got \"\(given)\"")
    }
    guard library.is_socket_unix(firstDescriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw refusal("the passed descriptor \"\(given)\" is not a listening Unix stream socket")
    }
    let result = linux_set_nonblocking(firstDescriptor)
    guard result >= 0 else { throw ServiceError(SystemError("fcntl", given, result: result)) }
    return ListeningSocket(activated: firstDescriptor, path: UnixSocket.boundPath(firstDescriptor) ?? given)
  }

  private static func refusal(_ what: String) -> ServiceError {
    ServiceError("\(what); check ListenStream= and FileDescriptorName= of the socket unit", .usage)
  }
}

/// The reason why a service cannot start: one sentence for people, an exit code for scripts.
package struct ServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, and the remedy if there is one.
  package var message: String
  /// The process's exit code.
  package var exitCode: ExitCode

  /// Creates an error.
  package init(_ message: String, _ exitCode: ExitCode) {
    self.message = message
    self.exitCode = exitCode
  }

  /// Creates an error from a failed call, with the exit code for its reason.
  package init(_ error: SystemError, hint: String = "") {
    self.init(error.operationFirst + (hint.isEmpty ? "" : "; " + hint), error.isPermission ? .permission : .io)
  }

  /// The message.
  package var description: String { message }
}
