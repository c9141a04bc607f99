import Glibc

/// Who could change what a path leads to: the owners of the folders and links on it.
///
/// A default path may lead through folders of another user: `XDG_RUNTIME_DIR` does after su(1), and anybody may make
/// `/tmp/cities`. A path that a user has named is used as given.
package enum PathOwners {
  /// The maximum number of links to follow, as in the kernel (path_resolution(7)).
  private static let maximumLinks = 40

  /// Why another user could change what `path` leads to; `nil` if only root and this user can.
  ///
  /// Each folder and link on it, and the file at its end, must belong to root or this user, whatever its name. A folder
  /// that everybody may write to needs the sticky bit; in a process of root also one that a group may. The owner of `/`
  /// counts as root: in a user namespace without root, the files of root seem to belong to nobody.
  ///
  /// - Throws: ``SystemError`` if a component does not exist, as another user could create it a moment later.
  /// - Complexity: one system call per component, two per link.
  package static func doubt(about path: String) throws(SystemError) -> String? {
    let top = try status(of: "/").st_uid
    let start = path.hasPrefix("/") ? "" : resolvedPath(".") ?? ""
    var (folder, rest, links) = ("/", reversedComponents(of: "\(start)/\(path)") + [""], 0)
    while let name = rest.popLast() {
      let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      let status = try status(of: next)
      if let doubt = doubt(status, next, top) { return doubt }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        folder = next
        continue
      }
      links += 1
      guard links <= maximumLinks, let target = linkTarget(of: next) else {
        throw SystemError("open", path, code: ELOOP)
      }
      rest += reversedComponents(of: target)
      if target.hasPrefix("/") { folder = "/" }
    }
    return nil
  }

  /// Whether there is no doubt about the part of `path` that exists.
  package static func areTrusted(on path: String) -> Bool { (try? doubt(about: path)) == nil }

  private static func doubt(_ status: stat, _ path: String, _ top: uid_t) -> String? {
    let kind = [S_IFDIR: "folder", S_IFLNK: "link"][status.st_mode & S_IFMT] ?? "file"
    guard [0, top, geteuid()].contains(status.st_uid) else {
      return "the \(kind) \(path) belongs to user \(status.st_uid)"
    }
    let others = S_IWOTH | (geteuid() == 0 && status.st_gid != 0 ? S_IWGRP : 0)
    guard kind == "folder", status.st_mode & others != 0, status.st_mode & S_ISVTX == 0 else { return nil }
    return "other users may change the folder \(path) (chmod go-w \(path) forbids it)"
  }

  private static func status(of path: String) throws(SystemError) -> stat {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError("open", path) }
    return status
  }
}
