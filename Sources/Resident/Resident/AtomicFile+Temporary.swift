import Glibc

/// A descriptor that is closed with its object.
package final class Descriptor: Sendable {
  /// The number; valid as long as the object lives.
  package let number: Int32

  /// Opens `path`, relative to the folder `base`.
  init(_ path: String, at base: Int32, _ flags: Int32, mode: mode_t = 0) throws(FileError) {
    number = openat(base, path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw FileError(path: path, call: "open") }
  }

  /// Takes over an open descriptor.
  package init(taking number: Int32) { self.number = number }

  deinit { close(number) }
}

extension AtomicFile {
  /// A writer's temporary file, locked as long as it is open.
  struct Temporary {
    /// Names are tried anew when one is taken or was swept away; more than this is no accident.
    private static let attempts = 16

    let name: String
    let path: String
    let file: Descriptor

    init(for target: String, in directory: Descriptor, folder: String, mode: mode_t) throws(FileError) {
      for _ in 0..<Self.attempts {
        let random = hexadecimal(UInt64.random(in: .min ... .max), digits: AtomicFile.digits)
        let name = ".\(target).\(random)\(AtomicFile.suffix)"
        let number = openat(directory.number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard number >= 0 else {
          guard errno == EEXIST else { throw FileError(path: "\(folder)/\(name)", call: "open") }
          continue
        }
        let file = Descriptor(taking: number)
        // A sweeper may come between the opening and the lock: then the name is gone, and another one is made.
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0, file.isLinked else { continue }
        (self.name, self.path, self.file) = (name, "\(folder)/\(name)", file)
        return
      }
      throw FileError(path: "\(folder)/.\(target)", call: "open", code: EEXIST)
    }

    func sync() throws(FileError) {
      guard fsync(file.number) == 0 else { throw FileError(path: path, call: "fsync") }
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
    for name in names(in: directory) where isTemporary(name, for: target) {
      let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      guard let file = try? Descriptor(name, at: directory.number, flags), let status = try? file.status(name),
        status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      unlinkat(directory.number, name, 0)
    }
  }

  /// Whether `name` is `.TARGET.0123456789abcdef.tmp`.
  static func isTemporary(_ name: String, for target: String) -> Bool {
    let start = ".\(target)."
    guard name.hasPrefix(start), name.hasSuffix(suffix) else { return false }
    let random = name.utf8.dropFirst(start.utf8.count).dropLast(suffix.utf8.count)
    return random.count == digits && random.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  /// The names in a folder; none if it cannot be read.
  static func names(in directory: Descriptor) -> [String] {
    // A stream of its own, as it closes its descriptor and moves the place to read from.
    let number = openat(directory.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0, let stream = fdopendir(number) else {
      if number >= 0 { close(number) }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        })
    }
    return names
  }
}

extension Descriptor {
  /// Whether a name still leads to the file.
  fileprivate var isLinked: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_nlink > 0
  }
}
