import Glibc
import System

/// Resolves a path to a folder, one component at a time, holding each by its descriptor.
///
/// For root a path is safe only if no other user can redirect it: a folder or link that belongs to another user may
/// lead only to that user's files. So neither a link to `/etc` nor an exchanged folder makes root write elsewhere. This
/// is the rule of systemd's `chase()` with `CHASE_SAFE` (`src/basic/chase.c`). Other users have no rights to abuse, so
/// their paths are resolved as by the kernel.
struct FolderWalk {
  /// Most links that are followed, the kernel's limit (path_resolution(7)).
  private static let maximumLinks = 40

  /// The last component that exists; opened with `O_PATH`.
  private(set) var folder: Descriptor
  /// The remaining components, which do not exist.
  private(set) var missing: [String] = []

  /// The path of ``folder``, with links resolved.
  private(set) var walked: String
  private var rest: [String]
  private var owner: uid_t
  private var links = 0

  /// Resolves `path`, relative to the working directory.
  ///
  /// - Throws: ``SystemError`` with the component that cannot be opened or trusted.
  /// - Complexity: two system calls per component.
  init(_ path: String) throws(SystemError) {
    walked = path.hasPrefix("/") ? "/" : "."
    folder = try Descriptor(walked, at: AT_FDCWD, Self.flags)
    owner = try folder.status(walked).st_uid
    rest = reversedComponents(of: path)
    while let name = rest.popLast() {
      guard try step(to: name) else { break }
    }
  }

  /// Creates the missing folders, and returns the last folder of the path.
  ///
  /// In a process that root started, they ignore the umask, because another user's service reads them; those made by
  /// root get the owner of their parent.
  ///
  /// - Throws: ``SystemError`` with the folder that cannot be created.
  func make() throws(SystemError) -> Descriptor {
    var (last, made) = (folder, walked)
    for name in missing {
      made += made.hasSuffix("/") ? name : "/\(name)"
      let isNew = unsafe mkdirat(last.number, name, OpenFolder.mode) == 0
      guard isNew || errno == EEXIST else { throw SystemError("mkdir", made) }
      let above = try last.status(made)
      last = try Descriptor(name, at: last.number, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
      guard isNew, FolderOwner.startingUser == 0 else { continue }
      guard fchmod(last.number, OpenFolder.mode) == 0 else { throw SystemError("chmod", made) }
      guard geteuid() == 0 else { continue }
      guard fchown(last.number, above.st_uid, above.st_gid) == 0 else { throw SystemError("chown", made) }
    }
    return last
  }

  private static let flags = pathOnly | O_NOFOLLOW

  /// Enters `name`; `false` if it does not exist.
  private mutating func step(to name: String) throws(SystemError) -> Bool {
    let path = walked.hasSuffix("/") ? walked + name : "\(walked)/\(name)"
    let number = unsafe openat(folder.number, name, Self.flags | O_CLOEXEC)
    guard number >= 0 else {
      guard errno == ENOENT else { throw SystemError("open", path) }
      missing = [name] + rest.reversed()
      guard !missing.contains("..") else { throw SystemError("open", path, code: ENOENT) }
      return false
    }
    let found = Descriptor(taking: number)
    let status = try found.status(path)
    try requireSafe(status.st_uid, path)
    owner = status.st_uid
    switch status.st_mode & S_IFMT {
    case S_IFDIR: (folder, walked) = (found, path)
    case S_IFLNK: try follow(found, path)
    default: throw SystemError("open", path, code: ENOTDIR)
    }
    return true
  }

  private mutating func follow(_ link: Descriptor, _ path: String) throws(SystemError) {
    links += 1
    guard links <= Self.maximumLinks else { throw SystemError("open", path, code: ELOOP) }
    let text = try link.linkTarget(path)
    rest += reversedComponents(of: text)
    guard text.hasPrefix("/") else { return }
    folder = try Descriptor("/", at: AT_FDCWD, Self.flags)
    walked = "/"
    try requireSafe(try folder.status(walked).st_uid, path)
  }

  /// For root, refuses a component that another user's folder or link leads to, unless it belongs to that user.
  private func requireSafe(_ next: uid_t, _ path: String) throws(SystemError) {
    guard geteuid() == 0, owner != 0, owner != next else { return }
    throw SystemError(
      path: path,
      refused: "user \(owner) could redirect this path, and it leads to a file of user \(next); as root, "
        + "name a path that only root or its owner can change")
  }
}

/// `O_PATH` of open(2), which glibc declares under `_GNU_SOURCE` only: a location in the tree, without read access.
let pathOnly: Int32 = 0o10_000_000
