package import Glibc
package import System

/// The file at a path, held by its descriptor but not yet opened.
///
/// open(2) has side effects before fstat(2) can show the kind of the file: it starts a watchdog, rewinds a tape, wakes
/// the writer of a pipe. `O_PATH` has none; after the check, ``open()`` opens that very file, wherever its name leads
/// by then. So a process, above all root's, never opens anything but a regular file.
///
/// ```swift
/// let found = try FoundFile("/var/lib/cities/cities.index")
/// guard found.kind == .regular else { return }
/// let file = try found.open()
/// ```
///
/// A link as the last component is followed only if it belongs to root or this process's user: an administrator may
/// keep a file elsewhere, but other users cannot redirect this process.
package struct FoundFile {
  /// The kind of a file.
  package enum Kind: Equatable, Sendable {
    /// A regular file.
    case regular
    /// A link of another user, which is not followed.
    case link(owner: UInt32)
    /// A folder, pipe, socket or device.
    case other
  }

  /// The file's status.
  package let status: stat
  private let found: Descriptor
  private let path: String
  private let base: Int32

  /// Finds the file at `path`, which may be a link.
  ///
  /// - Throws: ``SystemError``, with `ENOENT` if it does not exist.
  /// - Complexity: two system calls, five for a link.
  package init(_ path: String) throws(SystemError) {
    try self.init(path, at: AT_FDCWD)
    guard status.st_mode & S_IFMT == S_IFLNK, status.st_uid == 0 || status.st_uid == geteuid() else { return }
    // Read the target from the descriptor: the name may by now be another link.
    let target = try found.linkTarget(path)
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    self = try FoundFile(target.hasPrefix("/") ? target : folder + target, following: true)
  }

  /// Finds `name` in the folder `base`; a link is not followed.
  ///
  /// - Throws: as ``init(_:)``.
  init(_ name: String, at base: Int32) throws(SystemError) {
    found = try Descriptor(name, at: base, pathOnly | O_NOFOLLOW)
    status = try found.status(name)
    (path, self.base) = (name, base)
  }

  private init(_ path: String, following: Bool) throws(SystemError) {
    found = try Descriptor(path, at: AT_FDCWD, pathOnly)
    status = try found.status(path)
    (self.path, base) = (path, AT_FDCWD)
  }

  /// The kind of the file.
  package var kind: Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFLNK: .link(owner: status.st_uid)
    default: .other
    }
  }

  /// Opens the file for reading.
  ///
  /// - Precondition: it is a regular file.
  /// - Throws: ``SystemError`` if this user may not read it.
  /// - Complexity: one system call.
  package func open() throws(SystemError) -> Descriptor {
    precondition(kind == .regular, "only a regular file is opened")
    let number = unsafe Glibc.open("/proc/self/fd/\(found.number)", O_RDONLY | O_CLOEXEC)
    if number >= 0 { return Descriptor(taking: number) }
    guard errno == ENOENT else { throw SystemError("open", path) }
    // Without /proc, open the name. It may lead to another file by now, but the flags keep it from blocking and from
    // following a link.
    let file = try Descriptor(path, at: base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let now = try file.status(path)
    guard (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino) else {
      throw SystemError("open", path, code: ESTALE)
    }
    return file
  }
}

extension Descriptor {
  /// The target of a link that was opened with `O_PATH`.
  func linkTarget(_ path: String) throws(SystemError) -> String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlinkat(number, "", &target, target.count)
    guard count >= 0 else { throw SystemError("readlink", path) }
    return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
