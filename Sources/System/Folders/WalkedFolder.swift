package import Glibc
package import System

/// A folder of any user's, reached by ``FolderWalk`` and held by its descriptor, so that root cannot be redirected to
/// another one.
///
/// ``OpenFolder`` is for a process's own folder. This one is for a user's configuration, which root may change as well:
///
/// ```swift
/// let folder = try WalkedFolder(making: "/etc/cities/sync.d", mode: 0o755)
/// try folder.replace("feed-rates.json", with: bytes, mode: 0o644)
/// ```
package struct WalkedFolder {
  /// The path it was reached by, for messages.
  package let path: String
  let directory: Descriptor

  /// Reaches the folder at `path`.
  ///
  /// - Throws: ``SystemError``, with `ENOENT` if there is none, also as root if another user could redirect the path.
  package init(_ path: String) throws(SystemError) {
    let walk = try FolderWalk(path)
    guard walk.missing.isEmpty else { throw SystemError("open", path, code: ENOENT) }
    self.path = path
    directory = try Descriptor(readable: walk.folder, path)
  }

  /// Reaches the folder at `path`, after it was made with those above it where they are missing.
  ///
  /// Folders that root makes have `mode` regardless of the umask of root's shell, because a service of another user
  /// reads them, and the owner of the folder that they are made in.
  ///
  /// - Throws: ``SystemError`` with the folder that could not be made.
  package init(making path: String, mode: mode_t) throws(SystemError) {
    self.path = path
    directory = try Descriptor(readable: FolderWalk(path).make(mode: mode, adopts: true), path)
  }

  /// Removes the file or link `name`.
  ///
  /// - Throws: ``SystemError``, with `ENOENT` if there is none.
  package func remove(_ name: String) throws(SystemError) {
    guard unsafe unlinkat(directory.number, name, 0) == 0 else { throw SystemError("unlink", "\(path)/\(name)") }
  }

  /// Puts a file with `bytes` in the place of `name`, as ``AtomicFile`` does.
  ///
  /// A file of root's has `mode` regardless of the umask; any other user's has it less the umask.
  ///
  /// - Throws: ``SystemError``; an old file is untouched then.
  package func replace(_ name: String, with bytes: [UInt8], mode: mode_t) throws(SystemError) {
    try AtomicFile.replace(name, in: self, mode: mode) { (output) throws(SystemError) in try output.write(bytes) }
  }
}

extension Descriptor {
  /// Opens a folder that was found with `O_PATH` for reading and flushing.
  convenience init(readable folder: Descriptor, _ path: String) throws(SystemError) {
    let number = unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", path) }
    self.init(taking: number)
  }
}
