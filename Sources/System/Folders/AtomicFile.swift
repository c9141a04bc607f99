import Base
package import Glibc
package import System

/// Puts a file in the place of another, whole or not at all.
///
/// The new bytes go into a temporary file in the same folder; it is flushed to the disk, takes the name by rename(2),
/// and the folder is flushed. A program that opens the name sees the old file or the new one, whatever happens in
/// between: an error, a kill, a power cut. A program that has the old file open keeps it. Two writers do not disturb
/// each other; the later rename wins.
///
/// Everything happens relative to the folder's descriptor, and the temporary file is made with `O_EXCL`, so that links
/// put into the folder lead nowhere. Only a regular file is replaced: `/dev/full` stays a device. The file belongs to
/// the user who writes it; a process that may be root becomes the folder's owner before (`FolderOwner`).
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
  /// - Throws: ``SystemError``, or what `body` throws; the temporary file is gone then, and the old file untouched
  ///   unless the very last step failed.
  package static func replace(
    _ path: String, mode: mode_t = 0o644, observe: (Step) -> Void = { _ in },
    _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let folder = parentFolder(of: path)
    let name = fileName(of: path)
    try replace(name, in: WalkedFolder(folder).directory, folder, mode: mode, observe: observe, body)
  }

  /// The same for the file `name` in a folder that is open.
  ///
  /// - Throws: as ``replace(_:mode:observe:_:)``.
  package static func replace(
    _ name: String, in folder: OpenFolder, mode: mode_t = 0o644,
    _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    try replace(name, in: folder.directory, folder.path, mode: mode, observe: { _ in }, body)
  }

  /// The same in a folder that may be another user's; as root the umask does not lessen `mode`.
  static func replace(
    _ name: String, in folder: WalkedFolder, mode: mode_t,
    _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let isExact = geteuid() == 0
    try replace(name, in: folder.directory, folder.path, mode: mode, isExact: isExact, observe: { _ in }, body)
  }

  private static func replace(
    _ name: String, in directory: Descriptor, _ folder: String, mode: mode_t, isExact: Bool = false,
    observe: (Step) -> Void, _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let path = "\(folder)/\(name)"
    try requireReplaceable(name, in: directory, path)
    sweep(directory, for: name)
    let temporary = try Temporary(for: name, in: directory, folder: folder, mode: mode)
    do throws(SystemError) {
      observe(.opened)
      if isExact, fchmod(temporary.file.number, mode) != 0 { throw SystemError("chmod", temporary.path) }
      try body(Output(descriptor: temporary.file.number, path: temporary.path))
      observe(.written)
      try temporary.sync()
      observe(.synced)
      guard unsafe renameat(directory.number, temporary.name, directory.number, name) == 0 else {
        throw SystemError("rename", path)
      }
    } catch {
      unsafe unlinkat(directory.number, temporary.name, 0)
      throw error
    }
    observe(.renamed)
    guard fsync(directory.number) == 0 else { throw SystemError("fsync", folder) }
    observe(.finished)
  }

  /// The new file while it is written.
  package struct Output: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Appends `bytes`, all of them.
    ///
    /// - Throws: ``SystemError``, as on a full disk.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
      let code = unsafe writeAll(bytes, to: descriptor)
      guard code == 0 else { throw SystemError("write", path, code: code) }
    }

    /// Appends `bytes`, all of them.
    ///
    /// - Throws: as ``write(_:)-(UnsafeRawBufferPointer)``.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
      let code = writeAll(bytes, to: descriptor)
      guard code == 0 else { throw SystemError("write", path, code: code) }
    }
  }

  /// Root could put a file in the place of a device, or of a link that leads to one.
  private static func requireReplaceable(_ name: String, in directory: Descriptor, _ path: String) throws(SystemError) {
    var status = stat()
    guard unsafe fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw SystemError("stat", path) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notReplaceable(path) }
  }
}

// MARK: - Temporary files

extension AtomicFile {
  /// A writer's temporary file, locked as long as it is open.
  struct Temporary {
    /// Another name is tried if one is taken or was swept away; more often than this does not happen by accident.
    private static let attempts = 16

    let name: String
    let path: String
    let file: Descriptor

    init(for target: String, in directory: Descriptor, folder: String, mode: mode_t) throws(SystemError) {
      for _ in 0..<Self.attempts {
        let random = hexadecimal(UInt64.random(in: .min ... .max), digits: AtomicFile.digits)
        let name = ".\(target).\(random)\(AtomicFile.suffix)"
        let number = unsafe openat(directory.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard number >= 0 else {
          guard errno == EEXIST else { throw SystemError("open", "\(folder)/\(name)") }
          continue
        }
        let file = Descriptor(taking: number)
        // A sweeper may come between the opening and the lock: then the name is gone, and another one is made.
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0, file.isLinked else {
          unsafe unlinkat(directory.number, name, 0)
          continue
        }
        (self.name, self.path, self.file) = (name, "\(folder)/\(name)", file)
        return
      }
      throw SystemError("open", "\(folder)/.\(target)", code: EEXIST)
    }

    func sync() throws(SystemError) {
      guard fsync(file.number) == 0 else { throw SystemError("fsync", path) }
    }
  }

  /// Digits of the random part of a temporary file's name.
  private static let digits = 16

  /// Removes the temporary files that dead writers of `target` left in a folder; what cannot be removed stays.
  ///
  /// Only names that ``Temporary`` could have given are touched, and only this user's own regular files.
  ///
  /// - Complexity: O(entries of the folder).
  static func sweep(_ directory: Descriptor, for target: String) {
    for name in directory.names where isTemporary(name, for: target) {
      guard let found = try? FoundFile(name, at: directory.number), found.kind == .regular,
        found.status.st_uid == geteuid(), let file = try? found.open(), flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      unsafe unlinkat(directory.number, name, 0)
    }
  }

  /// Whether `name` is `.TARGET.0123456789abcdef.tmp`.
  static func isTemporary(_ name: String, for target: String) -> Bool {
    let start = ".\(target)."
    guard name.hasPrefix(start), name.hasSuffix(suffix) else { return false }
    let random = name.utf8.dropFirst(start.utf8.count).dropLast(suffix.utf8.count)
    return random.count == digits && random.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}

extension Descriptor {
  /// Whether a name still leads to the file.
  fileprivate var isLinked: Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_nlink > 0
  }
}
