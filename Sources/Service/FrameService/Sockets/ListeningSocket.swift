import CLinux
import Glibc
import Synchronization
package import System

/// A listening Unix socket: passed by the service manager, or bound here.
package struct ListeningSocket: Sendable {
  /// The length of the kernel's queue of connections.
  private static let backlog: Int32 = 512
  /// Microseconds within which a server that has bound a path listens.
  private static let bindTime: UInt32 = 20_000

  /// The descriptor; non-blocking.
  package let descriptor: Int32
  /// The path, if known.
  package let path: String
  /// The file that was created here and is removed at the end; `nil` if the socket was passed.
  let made: MadeFile?

  /// Whether the service manager holds the socket too, so that connections can wait for the next instance.
  package var isActivated: Bool { made == nil }

  /// Uses a descriptor that was passed.
  init(activated descriptor: Int32, path: String) {
    (self.descriptor, self.path, made) = (descriptor, path, nil)
  }

  /// Binds `path` with `mode`, after removing a stale socket.
  ///
  /// - Throws: `EADDRINUSE` if a server answers at `path` or the file is not a socket; otherwise the failed call.
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
    // The file gets the socket's mode, less the umask; the missing bits are added before anybody can connect. The umask
    // belongs to the whole process and is left alone: another thread may be creating files.
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

  /// Removes a socket without a server: only a refused connection proves that there is none.
  private static func removeStale(_ path: String) throws(SystemError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError("bind", path, result: EADDRINUSE) }
    let probe = UnixSocket.make()
    guard probe >= 0 else { throw SystemError("socket", path, result: probe) }
    defer { close(probe) }
    let found = MadeFile(path)
    var answer = UnixSocket.connect(probe, to: path)
    if answer == -ECONNREFUSED {
      // A server that has just bound the path may not listen yet.
      usleep(bindTime)
      answer = UnixSocket.connect(probe, to: path)
    }
    guard answer == -ECONNREFUSED else {
      throw SystemError("bind", path, result: answer >= 0 || answer == -EAGAIN ? EADDRINUSE : answer)
    }
    found?.remove()
  }

  /// Removes the created file, once, if it is still the same; the socket of a second instance is left alone.
  package func removePath() { made?.remove() }
}

/// A file created by this process; its inode distinguishes it from a later one at the same path, as long as the inode
/// is in use.
final class MadeFile: Sendable {
  private let path: String
  private let file: (device: dev_t, inode: ino_t)
  private let isRemoved = Atomic(false)

  /// Records the identity of the file at `path`.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (self.path, file) = (path, (status.st_dev, status.st_ino))
  }

  /// Unlinks the file if it is still the same.
  ///
  /// Does nothing the second time: meanwhile, the file system may have given the inode to a successor's socket.
  func remove() {
    guard !isRemoved.exchange(true, ordering: .relaxed), let now = MadeFile(path), now.file == file else { return }
    unlink(path)
  }
}
