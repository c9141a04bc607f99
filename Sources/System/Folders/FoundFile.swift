package import Glibc
package import System

/// The file at a path, held by its descriptor and not opened yet.
///
/// open(2) has effects before fstat(2) shows the kind of the file: it starts a watchdog, rewinds a tape, lets the
/// writer of a pipe continue. A descriptor of `O_PATH` opens nothing; after a look at it, ``open()`` opens that very
/// file, whatever its name stands for by then. So a process, above all root's, never opens anything but a regular file.
///
/// ```swift
/// let found = try FoundFile("/var/lib/cities/cities.index")
/// guard found.kind == .regular else { return }
/// let file = try found.open()
/// ```
///
/// A link as the last component is followed if root or this process's own user made it: an administrator may keep a
/// file elsewhere, another user cannot send this process anywhere.
package struct FoundFile {
  /// What it is, as far as it matters here.
  package enum Kind: Equatable, Sendable {
    /// A regular file.
    case regular
    /// A link that is not followed, of the user with this id.
    case link(owner: UInt32)
    /// A folder, pipe, socket or device.
    case other
  }

  /// Its state.
  package let status: stat
  private let found: Descriptor
  private let path: String
  private let base: Int32

  /// Looks at `path`, which may be a link.
  ///
  /// - Throws: ``SystemError``, with `ENOENT` if nothing is there.
  /// - Complexity: two system calls, five for a link.
  package init(_ path: String) throws(SystemError) {
    try self.init(path, at: AT_FDCWD)
    guard status.st_mode & S_IFMT == S_IFLNK, status.st_uid == 0 || status.st_uid == geteuid() else { return }
    // The target of this very link: by its name another one might be followed.
    let target = try found.linkTarget(path)
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    self = try FoundFile(target.hasPrefix("/") ? target : folder + target, following: true)
  }

  /// Looks at `name` in the folder `base`; a link is not followed.
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

  /// What it is.
  package var kind: Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFLNK: .link(owner: status.st_uid)
    default: .other
    }
  }

  /// Opens it for reading.
  ///
  /// - Precondition: it is a regular file.
  /// - Throws: ``SystemError`` if this user may not read it.
  /// - Complexity: one system call.
  package func open() throws(SystemError) -> Descriptor {
    precondition(kind == .regular, "only a regular file is opened")
    let number = unsafe Glibc.open("/proc/self/fd/\(found.number)", O_RDONLY | O_CLOEXEC)
    if number >= 0 { return Descriptor(taking: number) }
    guard errno == ENOENT else { throw SystemError("open", path) }
    // Without /proc the name is opened: it may stand for another file by now, but for none that waits or follows a
    // link.
    let file = try Descriptor(path, at: base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let now = try file.status(path)
    guard (now.st_dev, now.st_ino) == (status.st_dev, status.st_ino) else {
      throw SystemError("open", path, code: ESTALE)
    }
    return file
  }
}

extension Descriptor {
  /// The target of the link that was opened with `O_PATH`.
  func linkTarget(_ path: String) throws(SystemError) -> String {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlinkat(number, "", &target, target.count)
    guard count >= 0 else { throw SystemError("readlink", path) }
    return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
