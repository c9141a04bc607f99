package import Glibc

/// Puts a file in the place of another, whole or not at all.
///
/// The new bytes go into a temporary file in the same folder; it is flushed to the disk, takes the name by rename(2), and
/// the folder is flushed. Whoever opens the name sees the old file or the new one, whatever happens in between: an error,
/// a kill, a power cut. Who has the old file open keeps it. Two writers do not disturb each other; the later rename wins.
///
/// Everything happens relative to the folder's descriptor, and the temporary file is made with `O_EXCL`, so that links
/// put into the folder lead nowhere. Only a regular file is replaced: `/dev/full` stays a device. The file belongs to the
/// user who writes it; a process that may be root becomes the folder's owner before (`FolderOwner`).
///
/// The writer holds a lock on its temporary file (flock(2)), which ends with the process: it distinguishes work in
/// progress from the remains of a killed writer, also across process id namespaces.
package enum AtomicFile {
  /// What the names of temporary files end with; they begin with a full stop and the name to be replaced.
  package static let suffix = ".tmp"

  /// The moments between which a writer may die; tests look at the folder at each of them.
  package enum Step: CaseIterable, Sendable {
    /// The temporary file is there and empty.
    case opened
    /// It has all bytes.
    case written
    /// They are on the disk.
    case synced
    /// It has taken the name.
    case renamed
    /// The name is on the disk.
    case finished
  }

  /// Writes what `body` gives out in the place of the file at `path`, and removes what dead writers of it left first.
  ///
  /// `mode` is lessened by the process's umask. `observe` is called at each step, for tests.
  ///
  /// - Throws: ``FileError``, or what `body` throws; the temporary file is gone then, and the old file untouched unless
  ///   the very last step failed.
  package static func replace(
    _ path: String, mode: mode_t = 0o644, observe: (Step) -> Void = { _ in },
    _ body: (borrowing Output) throws(FileError) -> Void
  ) throws(FileError) {
    let (folder, name) = split(path)
    let walk = try FolderWalk(folder)
    guard walk.missing.isEmpty else { throw FileError(path: folder, call: "open", code: ENOENT) }
    let number = openat(walk.folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw FileError(path: folder, call: "open") }
    try replace(name, in: Descriptor(taking: number), folder, mode: mode, observe: observe, body)
  }

  /// The same for the file `name` in a folder that is open.
  ///
  /// - Throws: as ``replace(_:mode:observe:_:)``.
  package static func replace(
    _ name: String, in folder: OpenFolder, mode: mode_t = 0o644,
    _ body: (borrowing Output) throws(FileError) -> Void
  ) throws(FileError) {
    try replace(name, in: folder.directory, folder.path, mode: mode, observe: { _ in }, body)
  }

  private static func replace(
    _ name: String, in directory: Descriptor, _ folder: String, mode: mode_t, observe: (Step) -> Void,
    _ body: (borrowing Output) throws(FileError) -> Void
  ) throws(FileError) {
    let path = "\(folder)/\(name)"
    try requireReplaceable(name, in: directory, path)
    sweep(directory, for: name)
    let temporary = try Temporary(for: name, in: directory, folder: folder, mode: mode)
    do throws(FileError) {
      observe(.opened)
      try body(Output(descriptor: temporary.file.number, path: temporary.path))
      observe(.written)
      try temporary.sync()
      observe(.synced)
      guard renameat(directory.number, temporary.name, directory.number, name) == 0 else {
        throw FileError(path: path, call: "rename")
      }
    } catch {
      unlinkat(directory.number, temporary.name, 0)
      throw error
    }
    observe(.renamed)
    guard fsync(directory.number) == 0 else { throw FileError(path: folder, call: "fsync") }
    observe(.finished)
  }

  /// Where the bytes of the new file go.
  package struct Output: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Appends `bytes`, all of them.
    ///
    /// - Throws: ``FileError``, as on a full disk.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 {
          guard errno == EINTR else { throw FileError(path: path, call: "write") }
        } else {
          rest = rest.dropFirst(count)
        }
      }
    }
  }

  /// Root could put a file in the place of a device, or of a link that leads to one.
  private static func requireReplaceable(_ name: String, in directory: Descriptor, _ path: String) throws(FileError) {
    var status = stat()
    guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw FileError(path: path, call: "stat") }
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notReplaceable(path) }
  }

  /// The folder and the name of `path`; the folder of a bare name is `.`.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }
}
