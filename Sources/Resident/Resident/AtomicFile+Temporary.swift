import Glibc

/// A descriptor that is closed with its object.
final class Descriptor {
  let number: Int32

  /// Opens `path`, relative to the folder `base`.
  init(_ path: String, at base: Int32, _ flags: Int32, mode: mode_t = 0) throws(FileError) {
    number = openat(base, path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw FileError(path: path, call: "open") }
  }

  /// Takes over an open descriptor.
  init(taking number: Int32) { self.number = number }

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
        let random = hexadecimal(UInt64.random(in: .min ... .max), digits: 16)
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

    /// Gives the file to the folder's owner if root writes into somebody's folder.
    func handToOwner(of directory: Descriptor) throws(FileError) {
      var status = stat()
      guard fstat(directory.number, &status) == 0 else { throw FileError(path: path, call: "fstat") }
      guard geteuid() == 0, status.st_uid != 0 else { return }
      guard fchown(file.number, status.st_uid, status.st_gid) == 0 else { throw FileError(path: path, call: "fchown") }
    }

    func sync() throws(FileError) {
      guard fsync(file.number) == 0 else { throw FileError(path: path, call: "fsync") }
    }
  }

  /// Removes the temporary files that dead writers left in `folder`; what cannot be removed stays for the next time.
  ///
  /// - Complexity: O(entries of the folder).
  package static func sweep(folder: String) {
    guard let directory = try? Descriptor(folder, at: AT_FDCWD, O_RDONLY | O_DIRECTORY) else { return }
    sweep(directory, folder: folder)
  }

  static func sweep(_ directory: Descriptor, folder: String) {
    for name in names(in: folder) where name.hasPrefix(".") && name.hasSuffix(suffix) {
      let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      guard let file = try? Descriptor(name, at: directory.number, flags) else { continue }
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { continue }
      unlinkat(directory.number, name, 0)
    }
  }

  /// The names in `folder`; none if it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
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
