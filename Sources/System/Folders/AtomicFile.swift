@_exported public import Base
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

  /// Replaces the file at `path` with the output of `body`, after removing temporary files of dead writers.
  ///
  /// The process's umask applies to `mode`.
  ///
  /// - Throws: ``SystemError``, or any error of `body`; the temporary file is removed then, and the old file untouched
  ///   unless the last step failed.
  package static func replace(
    _ path: String, mode: mode_t = 0o644, _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    let folder = try OpenFolder(parentFolder(of: path), isOwn: false)
    try replace(fileName(of: path), in: folder, mode: mode, body)
  }

  /// Replaces the file `name` in an open folder; the umask does not apply to an exact mode.
  ///
  /// The new file gets its `owner`, if given, before its contents.
  ///
  /// - Throws: as ``replace(_:mode:_:)``.
  package static func replace(
    _ name: String, in folder: OpenFolder, mode: mode_t = 0o644, isExact: Bool = false,
    owner: (user: uid_t, group: gid_t)? = nil, _ body: (borrowing Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    try PreparedFile(name, in: folder, mode: mode, isExact: isExact, owner: owner, body).rename()
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
}

/// A new file, complete and flushed to disk, before it takes its name.
///
/// It is removed with the object unless it was renamed. So several files can be written before the first is replaced.
package final class PreparedFile {
  /// Most names to try: one may be taken or swept away, but not this often by accident.
  private static let attempts = 16

  private let folder: OpenFolder
  private let name: String
  private let temporaryName: String
  private var isRenamed = false

  /// The new file, open for reading and writing; locked while it is open.
  package let file: Descriptor

  /// Writes the output of `body` for the file `name` of `folder`, as ``AtomicFile`` does.
  ///
  /// - Throws: as `AtomicFile.replace`.
  package init(
    _ name: String, in folder: OpenFolder, mode: mode_t = 0o644, isExact: Bool = false,
    owner: (user: uid_t, group: gid_t)? = nil, _ body: (borrowing AtomicFile.Output) throws(SystemError) -> Void
  ) throws(SystemError) {
    // Otherwise root could replace a device, or a link to one, with a file.
    if let old = folder.status(of: name) {
      guard old.st_mode & S_IFMT == S_IFREG else { throw .notReplaceable("\(folder.path)/\(name)") }
    } else if errno != ENOENT {
      throw SystemError("stat", "\(folder.path)/\(name)")
    }
    AtomicFile.sweep(folder.directory, for: name)
    (self.folder, self.name) = (folder, name)
    (temporaryName, file) = try Self.temporaryFile(for: name, in: folder, mode)
    let path = "\(folder.path)/\(temporaryName)"
    if let owner, fchown(file.number, owner.user, owner.group) != 0 { throw SystemError("chown", path) }
    if isExact, fchmod(file.number, mode) != 0 { throw SystemError("chmod", path) }
    try body(AtomicFile.Output(descriptor: file.number, path: path))
    guard fsync(file.number) == 0 else { throw SystemError("fsync", path) }
  }

  deinit { if !isRenamed { unsafe unlinkat(folder.directory.number, temporaryName, 0) } }

  private static func temporaryFile(
    for target: String, in folder: OpenFolder, _ mode: mode_t
  ) throws(SystemError) -> (name: String, file: Descriptor) {
    let directory = folder.directory.number
    for _ in 0..<attempts {
      let random = hexadecimal(UInt64.random(in: .min ... .max), digits: AtomicFile.digits)
      let name = ".\(target).\(random)\(AtomicFile.suffix)"
      let number = unsafe openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
      guard number >= 0 else {
        guard errno == EEXIST else { throw SystemError("open", "\(folder.path)/\(name)") }
        continue
      }
      let file = Descriptor(taking: number)
      // A sweeper may remove the file before it is locked: try another name.
      if flock(number, LOCK_EX | LOCK_NB) == 0, let status = try? file.status(name), status.st_nlink > 0 {
        return (name, file)
      }
      unsafe unlinkat(directory, name, 0)
    }
    throw SystemError("open", "\(folder.path)/.\(target)", code: EEXIST)
  }

  /// Replaces the old file.
  ///
  /// - Throws: ``SystemError``; the old file is untouched unless the last step, flushing the folder, failed.
  package func rename() throws(SystemError) {
    guard unsafe renameat(folder.directory.number, temporaryName, folder.directory.number, name) == 0 else {
      throw SystemError("rename", "\(folder.path)/\(name)")
    }
    isRenamed = true
    guard fsync(folder.directory.number) == 0 else { throw SystemError("fsync", folder.path) }
  }
}

// MARK: - Temporary files

extension AtomicFile {
  /// Digits of the random part of a temporary file's name.
  fileprivate static let digits = 16

  /// Removes the temporary files that dead writers left in a folder, ignoring failures.
  ///
  /// Removes only this user's own regular files with names in the form of ``PreparedFile``'s.
  ///
  /// - Complexity: O(entries of the folder).
  package static func sweep(_ folder: OpenFolder) { sweep(folder.directory, for: nil) }

  /// Likewise those of one `target`, or of all.
  static func sweep(_ directory: Descriptor, for target: String?) {
    for name in directory.names where isTemporary(name, for: target) {
      guard let found = try? FoundFile(name, at: directory.number), found.kind == .regular,
        found.status.st_uid == geteuid(), let file = try? found.open(), flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      unsafe unlinkat(directory.number, name, 0)
    }
  }

  /// Whether `name` is `.TARGET.0123456789abcdef.tmp`, for any target if that is `nil`.
  static func isTemporary(_ name: String, for target: String?) -> Bool {
    guard name.hasPrefix(target.map { ".\($0)." } ?? "."), name.hasSuffix(suffix) else { return false }
    let parts = name.utf8.dropFirst((target?.utf8.count).map { $0 + 2 } ?? 1).dropLast(suffix.utf8.count)
    let random = target == nil ? parts.suffix(digits) : parts
    return random.count == digits && random.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}
