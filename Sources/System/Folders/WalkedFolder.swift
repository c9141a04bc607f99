package import Glibc
package import System

/// Any user's folder, resolved by ``FolderWalk`` and held by its descriptor, so that root cannot be redirected.
///
/// ``OpenFolder`` is for a process's own folder, this type for a user's configuration, which root may change too:
///
/// ```swift
/// let folder = try WalkedFolder(making: "/etc/cities/sync.d", mode: 0o755)
/// try folder.replace("feed-rates.json", with: bytes, mode: 0o644)
/// ```
package struct WalkedFolder {
  /// The path, for messages.
  package let path: String
  let directory: Descriptor

  /// Resolves the folder at `path`.
  ///
  /// - Throws: ``SystemError``, with `ENOENT` if there is none; for root also if another user could redirect the path.
  package init(_ path: String) throws(SystemError) {
    let walk = try FolderWalk(path)
    guard walk.missing.isEmpty else { throw SystemError("open", path, code: ENOENT) }
    self.path = path
    directory = try Descriptor(readable: walk.folder, path)
  }

  /// Resolves the folder at `path`, creating missing ones, its parents included.
  ///
  /// Folders made by root get the owner of their parent, and ignore the umask of root's shell, because another user's
  /// service reads them.
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

  /// Replaces the file `name` with `bytes`, as ``AtomicFile`` does.
  ///
  /// The umask applies to `mode`, except for root.
  ///
  /// - Throws: ``SystemError``; an old file is untouched then.
  package func replace(_ name: String, with bytes: [UInt8], mode: mode_t) throws(SystemError) {
    try AtomicFile.replace(name, in: self, mode: mode) { (output) throws(SystemError) in try output.write(bytes) }
  }
}

extension Descriptor {
  /// Reopens a folder that was found with `O_PATH`, for reading and flushing.
  convenience init(readable folder: Descriptor, _ path: String) throws(SystemError) {
    let number = unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", path) }
    self.init(taking: number)
  }
}
