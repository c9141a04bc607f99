import Base
package import Glibc
package import System

/// Replaces files atomically.
///
/// The new bytes go into a temporary file in the same folder, which is flushed to disk and renamed over the old file
/// (rename(2)); then the folder is flushed. A program that opens the name sees the old file or the new one, even after
/// an error, a kill or a power cut. A program that has the old file open keeps it. Concurrent writers do not disturb
/// each other; the last rename wins.
///
/// All calls are relative to the folder's descriptor, and the temporary file is created with `O_EXCL`, so links planted
/// in the folder have no effect. Only a regular file is replaced: `/dev/full` stays a device. The file belongs to the
/// user who writes it; a process that may be root becomes the folder's owner first (`FolderOwner`).
///
/// The writer locks its temporary file (flock(2)) until the process ends, which distinguishes work in progress from the
/// remains of a killed writer, even across process id namespaces.
package enum AtomicFile {
  /// The suffix of temporary files' names; the prefix is a full stop and the name to replace.
  package static let suffix = ".tmp"

  /// The steps of a replacement; tests inspect the folder after each, because a writer may die there.
  package enum Step: CaseIterable, Sendable {
    /// The temporary file exists and is empty.
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

  /// Replaces the file at `path` with the output of `body`, after removing temporary files of dead writers.
  ///
  /// The process's umask applies to `mode`. `observe` is called at each step, for tests.
  ///
  /// - Throws: ``SystemError``, or any error of `body`; the temporary file is removed then, and the old file untouched
  ///   unless the last step failed.
  package static func replace(
    _ path: String, mode: mode_t = 0o644, observe: (Step) -> Void = { _ in },
    _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let folder = try OpenFolder(parentFolder(of: path), isOwn: false)
    try replace(fileName(of: path), in: folder, mode: mode, observe: observe, body)
  }

  /// Replaces the file `name` in an open folder; the umask does not apply to an exact mode.
  ///
  /// - Throws: as ``replace(_:mode:observe:_:)``.
  package static func replace(
    _ name: String, in folder: OpenFolder, mode: mode_t = 0o644, isExact: Bool = false,
    observe: (Step) -> Void = { _ in }, _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let (directory, path) = (folder.directory, "\(folder.path)/\(name)")
    try requireReplaceable(name, in: directory, path)
    sweep(directory, for: name)
    let temporary = try Temporary(for: name, in: directory, folder: folder.path, mode: mode)
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
    guard fsync(directory.number) == 0 else { throw SystemError("fsync", folder.path) }
    observe(.finished)
  }

  /// The new file while it is written.
  package struct Output: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Appends `bytes`, all of them.
    ///
    /// - Throws: ``SystemError``, such as on a full disk.
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

  /// Otherwise root could replace a device, or a link to one, with a file.
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
  /// A writer's temporary file, locked while it is open.
  struct Temporary {
    /// Most names to try: one may be taken or swept away, but not this often by accident.
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
        // A sweeper may remove the file before it is locked: try another name.
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

  /// Removes the temporary files that dead writers of `target` left in a folder, ignoring failures.
  ///
  /// Removes only this user's own regular files with names in the form of ``Temporary``.
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
  /// Whether the file still has a name.
  fileprivate var isLinked: Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_nlink > 0
  }
}
