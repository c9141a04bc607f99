internal import Glibc
package import System

/// A small file of the user, such as a saved position: only its owner may read it, and it is replaced atomically.
///
/// ```swift
/// let file = UserFile("here", in: [configuration, configuration + "/cities"])
/// try file.replace(with: bytes)
/// let found = try file.read(atMost: 256)  // nil if there is none
/// ```
///
/// Its folders must belong to the user or to root, and others' links are not followed: with the variables of another
/// user, as after su(1), the program would write where that user wants it to.
///
/// New contents are written to a temporary file, which is flushed to disk and renamed; then the folder is flushed.
/// After an error, a kill or a power failure, there is either the old or the new file.
package struct UserFile: Sendable {
  /// The path of the file.
  package let path: String
  /// The file's folder, after its ancestors that are created if missing.
  private let folders: [String]

  /// Refers to the file `name` in the last of `folders`, each of which is created if missing.
  package init(_ name: String, in folders: [String]) {
    self.folders = folders
    path = (folders.last ?? "") + "/" + name
  }

  /// Refers to the file `cities/NAME` in the folder given by the environment's `variable`, or else in the last of
  /// `folders` below the home folder; `nil` without either.
  ///
  /// Relative paths in variables are ignored, as the XDG Base Directory Specification requires.
  package init?(
    _ name: String, under variable: String, orAtHomeIn folders: [String], _ environment: (String) -> String?
  ) {
    func folder(_ variable: String) -> String? { environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let above = folder(variable).map { [$0] } ?? folder("HOME").map { home in folders.map { "\(home)/\($0)" } }
    guard let above, let last = above.last else { return nil }
    self.init(name, in: above + ["\(last)/cities"])
  }

  /// The contents, up to `limit` bytes; `nil` if there is no file.
  ///
  /// - Throws: ``SystemError``, also if it is not a regular file or another user could have made it.
  package func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    try requireOwn(path)
    // The name may be that of a pipe: opening must not block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw SystemError("open", path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(path: path, refused: "not a regular file; remove it")
    }
    return Array(try readAll(descriptor, path, limit: limit).prefix(limit))
  }

  /// Replaces the file with one of `bytes`; its folders are created if missing.
  ///
  /// - Throws: ``SystemError``; then the old file is unchanged, unless only the last flush failed.
  package func replace(with bytes: [UInt8]) throws(SystemError) {
    let folder = try openFolder()
    defer { close(folder) }
    try replace(with: bytes, in: folder)
  }

  /// Replaces the contents with the result of `body`, which is passed up to `limit` bytes of the old ones, or none if
  /// they cannot be read.
  ///
  /// Concurrent processes take turns, so that no change is lost.
  ///
  /// - Throws: The errors of ``replace(with:)``.
  package func change(atMost limit: Int, _ body: ([UInt8]) -> [UInt8]) throws(SystemError) {
    let folder = try openFolder()
    defer { close(folder) }
    // The lock ends with the descriptor. Without support for locks, files are still replaced as a whole.
    while flock(folder, LOCK_EX) != 0, errno == EINTR {}
    let old = (try? read(atMost: limit)) ?? []
    try replace(with: body(old), in: folder)
  }

  /// Removes the file.
  ///
  /// - Returns: Whether it existed.
  /// - Throws: ``SystemError``.
  func remove() throws(SystemError) -> Bool {
    try requireOwn(folders.last ?? "/")
    if unlink(path) == 0 { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw SystemError("unlink", path) }
    return false
  }

  /// Refuses a path that another user could change; a missing part of it is made by this user.
  private func requireOwn(_ path: String) throws(SystemError) {
    guard let doubt = try? PathOwners.doubt(about: path) else { return }
    throw SystemError(path: path, refused: "\(doubt); use a folder that nobody else can change")
  }

  private func openFolder() throws(SystemError) -> Int32 {
    for folder in folders {
      try requireOwn(folder)
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir", folder) }
    }
    let folder = folders.last ?? "/"
    try requireOwn(folder)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", folder) }
    return descriptor
  }

  private func replace(with bytes: [UInt8], in folder: Int32) throws(SystemError) {
    // Other users cannot guess the name and create a file or link with it; an existing one is never opened.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open", path) }
    do throws(SystemError) {
      defer { close(descriptor) }
      let code = writeAll(bytes, to: descriptor)
      guard code == 0 else { throw SystemError("write", path, code: code) }
      guard fsync(descriptor) == 0 else { throw SystemError("fsync", path) }
      guard rename(temporary, path) == 0 else { throw SystemError("rename", path) }
    } catch {
      unlink(temporary)
      throw error
    }
    // Some file systems cannot flush a folder.
    guard fsync(folder) == 0 || errno == EINVAL else { throw SystemError("fsync", folders.last ?? "/") }
  }
}
