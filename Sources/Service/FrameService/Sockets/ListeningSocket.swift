import CLinux
import Glibc
package import System

/// A listening Unix socket: passed by the service manager, or bound here.
package struct ListeningSocket: Sendable {
  /// Connections that the kernel keeps for us.
  private static let backlog: Int32 = 512

  /// The descriptor; non-blocking.
  package let descriptor: Int32
  /// The path, where one is known.
  package let path: String
  /// The file that was made here and is removed on leaving; nil if the socket was passed.
  let made: MadeFile?

  /// Whether the service manager holds the socket too, so that connections wait there for the next instance.
  package var isActivated: Bool { made == nil }

  /// Takes a descriptor that was passed.
  init(activated descriptor: Int32, path: String) {
    (self.descriptor, self.path, made) = (descriptor, path, nil)
  }

  /// Binds `path` with `mode`, after a stale socket there was removed.
  ///
  /// - Throws: `EADDRINUSE` if something answers at `path` or it is not a socket; else the call that failed.
  package init(binding path: String, mode: UInt32) throws(SystemError) {
    let descriptor = UnixSocket.make()
    guard descriptor >= 0 else { throw SystemError("socket", path, result: descriptor) }
    do {
      try Self.removeStale(path)
      try Self.bind(descriptor, path, mode: mode)
    } catch {
      close(descriptor)
      throw error
    }
    (self.descriptor, self.path, made) = (descriptor, path, MadeFile(path))
  }

  private static func bind(_ descriptor: Int32, _ path: String, mode: UInt32) throws(SystemError) {
    // The file takes its mode from the socket, less the umask; what that took away is added before anybody can connect.
    // The umask belongs to the whole process and is left alone: another thread may make files now.
    guard fchmod(descriptor, mode) == 0 else { throw SystemError("chmod", path) }
    let bound = UnixSocket.bind(descriptor, to: path)
    guard bound >= 0 else { throw SystemError("bind", path, result: bound) }
    guard chmod(path, mode) == 0 else {
      let error = SystemError("chmod", path)
      unlink(path)
      throw error
    }
    let listening = linux_listen(descriptor, backlog)
    guard listening >= 0 else {
      unlink(path)
      throw SystemError("listen", path, result: listening)
    }
  }

  /// Removes a socket without a server: only a refused connect proves that.
  private static func removeStale(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError("bind", path, result: EADDRINUSE) }
    let probe = UnixSocket.make()
    guard probe >= 0 else { throw SystemError("socket", path, result: probe) }
    defer { close(probe) }
    let answer = UnixSocket.connect(probe, to: path)
    guard answer == -ECONNREFUSED else {
      throw SystemError("bind", path, result: answer >= 0 || answer == -EAGAIN ? EADDRINUSE : answer)
    }
    unlink(path)
  }

  /// Removes what was made here, if it is still that; a second instance's socket is left alone.
  package func removePath() { made?.remove() }
}

/// A file that this process made; its inode distinguishes it from a later one at the same path.
struct MadeFile: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Remembers what is at `path` now.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (self.path, device, inode) = (path, status.st_dev, status.st_ino)
  }

  /// Unlinks the file if it is still the same.
  func remove() {
    guard let now = MadeFile(path), now.device == device, now.inode == inode else { return }
    unlink(path)
  }
}
