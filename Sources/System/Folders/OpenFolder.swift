package import Glibc
package import System

/// A folder that is held by its descriptor, so that nobody can exchange it.
///
/// ```swift
/// let state = try OpenFolder(making: "/var/lib/cities")
/// let sources = try state.folder(making: "sources")
/// let file = try sources.file("rates.source")  // nil if there is none
/// ```
///
/// The path is resolved by ``FolderWalk``, so that root cannot be redirected. Names are resolved relative to the
/// descriptor, never through a link. The folder must belong to this process's user and must not be world-writable,
/// unless it is opened as one that is not its own: a user's configuration, which root may change too. Files opened in
/// it must be regular, have a single name and belong to the same user or root. ``AtomicFile`` and ``lockFile(_:)``
/// create files.
package final class OpenFolder: Sendable {
  /// The path it was opened at, for messages.
  package let path: String
  let directory: Descriptor

  /// Opens the folder at `path`.
  ///
  /// - Throws: ``SystemError``, with `ENOENT` if there is none; for root also if another user could redirect the path.
  package convenience init(_ path: String, isOwn: Bool = true) throws(SystemError) {
    let walk = try FolderWalk(path)
    guard walk.missing.isEmpty else { throw SystemError("open", path, code: ENOENT) }
    try self.init(reopening: walk.folder, path, isOwn: isOwn)
  }

  /// Opens the folder at `path`, creating missing ones, its parents included.
  ///
  /// - Throws: ``SystemError`` with the folder that cannot be created.
  package convenience init(making path: String, isOwn: Bool = true) throws(SystemError) {
    try self.init(reopening: FolderWalk(path).make(), path, isOwn: isOwn)
  }

  /// Reopens a folder that was found with O_PATH, for reading and flushing.
  private init(reopening found: Descriptor, _ path: String, isOwn: Bool = true) throws(SystemError) {
    let number = unsafe openat(found.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", path) }
    (self.path, directory) = (path, Descriptor(taking: number))
    if isOwn { try Self.check(directory.status(path), path) }
  }

  /// The mode of created folders; the umask applies, except to the folders of a path that root's process makes.
  static let mode: mode_t = 0o755

  // MARK: Contents

  /// The folder `name` in this one; `nil` if there is none.
  package func folder(_ name: String) throws(SystemError) -> OpenFolder? {
    let found = unsafe openat(directory.number, name, pathOnly | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC)
    guard found >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(name, "open", folder: true)
    }
    return try OpenFolder(reopening: Descriptor(taking: found), "\(path)/\(name)")
  }

  /// The folder `name` in this one, created if missing.
  package func folder(making name: String) throws(SystemError) -> OpenFolder {
    guard unsafe mkdirat(directory.number, name, Self.mode) == 0 || errno == EEXIST else {
      throw failure(name, "mkdir")
    }
    guard let made = try folder(name) else { throw SystemError("open", "\(path)/\(name)", code: ENOENT) }
    return made
  }

  /// The status of this folder, or of what is called `name` in it, where a link counts itself; `nil` if it has none.
  package func status(of name: String = ".") -> stat? {
    var status = stat()
    return unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Opens the file `name` for reading; `nil` if there is none.
  ///
  /// - Throws: ``SystemError``, also if it is not a regular file with a single name that belongs to the folder's owner
  ///   or root.
  package func file(_ name: String) throws(SystemError) -> Descriptor? {
    let path = "\(path)/\(name)"
    do throws(SystemError) {
      let found = try FoundFile(name, at: directory.number)
      try check(found.status, path)
      return try found.open()
    } catch {
      if error.code == ENOENT { return nil }
      throw error.path == path ? error : SystemError(error.operation, path, code: error.code)
    }
  }

  /// Opens the lock file `name`, created empty if missing; its content is never touched.
  ///
  /// - Throws: as ``file(_:)``.
  package func lockFile(_ name: String) throws(SystemError) -> Descriptor {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let number = unsafe openat(directory.number, name, flags, 0o600)
    guard number >= 0 else { throw failure(name, "open") }
    let file = Descriptor(taking: number)
    try check(file.status("\(path)/\(name)"), "\(path)/\(name)")
    return file
  }

  /// Renames a file within the folder.
  package func rename(_ name: String, to other: String) throws(SystemError) {
    guard unsafe renameat(directory.number, name, directory.number, other) == 0 else { throw failure(name, "rename") }
  }

  /// Removes a file or link, if it exists.
  ///
  /// - Throws: ``SystemError``.
  @discardableResult
  package func remove(_ name: String) throws(SystemError) -> Bool {
    guard unsafe unlinkat(directory.number, name, 0) != 0 else { return true }
    guard errno == ENOENT else { throw SystemError("unlink", "\(path)/\(name)") }
    return false
  }

  /// The names in the folder; none if it cannot be read.
  package var names: [String] { directory.names }

  // MARK: Checks

  private static func check(_ status: stat, _ path: String) throws(SystemError) {
    guard status.st_uid == geteuid() else {
      throw SystemError(
        path: path,
        refused: "the folder belongs to user \(status.st_uid), and this runs as user \(geteuid()); run it as "
          + "its owner or as root, or set CITIES_STATE to a folder of your own")
    }
    // Stricter for root: a group's members could exchange a file that root is about to open.
    let others = S_IWOTH | (status.st_uid == 0 && status.st_gid != 0 ? S_IWGRP : 0)
    guard status.st_mode & others == 0 else {
      throw SystemError(
        path: path, refused: "other users may write to this folder, which only its owner may; use chmod go-w \(path)")
    }
  }

  private func check(_ status: stat, _ path: String) throws(SystemError) {
    guard status.st_mode & S_IFMT != S_IFLNK else { throw .link(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(path: path, refused: "not a regular file; remove it")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw SystemError(
        path: path, refused: "the file belongs to user \(status.st_uid), the folder to user \(geteuid()); remove it")
    }
    // Zero if the file has been replaced since it was opened.
    guard status.st_nlink <= 1 else {
      throw SystemError(path: path, refused: "the file has \(status.st_nlink) names (hard links); remove this one")
    }
  }

  private func failure(_ name: String, _ call: String, folder: Bool = false) -> SystemError {
    let (path, code) = ("\(path)/\(name)", errno)
    let kind = status(of: name).map { $0.st_mode & S_IFMT }
    if kind == S_IFLNK { return .link(path) }
    if folder, let kind, kind != S_IFDIR { return SystemError(path: path, refused: "not a folder; remove it") }
    return SystemError(call, path, code: code)
  }
}

extension SystemError {
  fileprivate static func link(_ path: String) -> SystemError {
    SystemError(path: path, refused: "a symbolic link, which is not followed here; remove it")
  }
}
