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

/// Sockets passed by the service manager (sd_listen_fds(3)).
package enum Activation {
  /// The number of the first passed descriptor (`SD_LISTEN_FDS_START`).
  private static let firstDescriptor: Int32 = 3
  /// The name of a socket for which the manager gives none.
  private static let unnamed = "unknown"

  /// Whether a service manager passed sockets to this process; the variables do not apply to child processes, which
  /// inherit them.
  package static var isPresent: Bool { ProcessEnvironment.value("LISTEN_PID") == "\(getpid())" }

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

/// The folder in which root creates a socket: other users must not be able to redirect its path.
///
/// A socket is inspected, probed and removed by path. A user who can replace a folder or a link in it chooses which
/// file root removes and where it binds. For other users a path leads to nothing that they could not reach anyway.
enum SocketFolder {
  /// The maximum number of links to follow, as in the kernel (path_resolution(7)).
  private static let maximumLinks = 40

  /// Refuses `path`, if this is root, unless every folder in it belongs to root and only root can change it.
  ///
  /// In a folder with the sticky bit, such as `/tmp`, others may create files, but not rename or remove those of root.
  ///
  /// - Throws: ``ServiceError`` with the folder or link that another user may change, and the exit code 77; with `hint`
  ///   if a folder is missing, as another user could create it a moment later.
  /// - Complexity: Two system calls per component.
  static func requireSafe(_ path: String, hint: String) throws(ServiceError) {
    guard geteuid() == 0 else { return }
    func failure(_ number: Int32) -> ServiceError {
      ServiceError(SystemError("bind", path, result: number), hint: hint)
    }
    var folder = "/"
    var rest = reversedComponents(of: path.hasPrefix("/") ? path : "\(workingFolder)/\(path)").dropFirst()
    var links = 0
    try requireSafeFolder(folder)
    while let name = rest.popLast() {
      let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      guard let status = status(of: next) else { throw failure(errno) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        folder = next
        try requireSafeFolder(folder)
        continue
      }
      links += 1
      guard status.st_uid == 0 else { throw refusal("the link \(next) belongs to user \(status.st_uid)") }
      guard links <= maximumLinks else { throw failure(ELOOP) }
      guard let target = linkTarget(of: next) else { throw failure(errno) }
      rest += reversedComponents(of: target)
      if target.hasPrefix("/") { folder = "/" }
    }
  }

  private static func requireSafeFolder(_ folder: String) throws(ServiceError) {
    guard let status = status(of: folder), status.st_mode & S_IFMT == S_IFDIR else { return }
    guard status.st_uid == 0 else { throw refusal("the folder \(folder) belongs to user \(status.st_uid)") }
    let others = S_IWOTH | (status.st_gid == 0 ? 0 : S_IWGRP)
    guard status.st_mode & others == 0 || status.st_mode & S_ISVTX != 0 else {
      throw refusal("other users may change the folder \(folder) (chmod go-w \(folder) forbids it)")
    }
  }

  private static func refusal(_ why: String) -> ServiceError {
    ServiceError("\(why), so root makes no socket below it; name a path that root alone can change", .permission)
  }

  private static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
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
