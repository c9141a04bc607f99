import Folders
import Glibc

/// A file with a URL that may have a secret, or with the value of a header.
///
/// Only the owner may read it, and of the system's files also the services' group.
enum SecretFile {
  /// The owner of a file, if root must set it, and its mode.
  typealias Access = (owner: (user: uid_t, group: gid_t)?, mode: mode_t)

  /// The group of the services, which the packages create.
  private static let group = "cities"
  private static var groupID: gid_t? { getgrnam(group)?.pointee.gr_gid }

  /// The owner and mode of the file `name` that is about to be written to `folder`.
  ///
  /// A user's is 0600. Root leaves the owner and mode of an existing file unless everybody may use it.
  static func access(to name: String, in folder: OpenFolder) -> Access {
    guard geteuid() == 0, let above = folder.status() else { return (nil, 0o600) }
    let old = folder.status(of: name)
    if let old, old.st_mode & 0o007 == 0 { return ((old.st_uid, old.st_gid), old.st_mode & 0o777) }
    let user = old?.st_uid ?? above.st_uid
    if above.st_uid == 0, let groupID { return ((user, groupID), 0o640) }
    return ((user, above.st_gid), 0o600)
  }

  /// The problem of a file that every user can read, with the command that closes it; `nil` if not, or if there is no
  /// such file.
  static func exposure(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return nil }
    let word = quotedForShell(path)
    let isSystem = status.st_uid == 0 && groupID != nil
    let command = isSystem ? "chgrp \(group) \(word) && chmod 640 \(word)" : "chmod 600 \(word)"
    return "every user can read \(path); \(command)"
  }
}
