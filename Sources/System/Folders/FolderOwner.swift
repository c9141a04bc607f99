import CLinux
import Glibc
package import System

/// The owner of a folder: a process that root started becomes that user before it touches what is in the folder.
///
/// The owner may put links, and files with several names, into a folder at any time. With the owner's rights, nothing
/// is reached through them that the owner could not reach anyway; and new files belong to the owner without any
/// chown(2). In a folder of its own root stays root.
package enum FolderOwner {
  /// The user that this process started as: rules that depend on the user do not change with it.
  package static let startingUser: UInt32 = geteuid()

  /// The groups of one user that are looked at.
  private static let maximumGroups = 1_024

  /// The user and group of the folder at `path`, or of the nearest one above it that exists.
  ///
  /// - Throws: ``SystemError``, as root also if another user could redirect the path.
  package static func of(_ path: String) throws(SystemError) -> (user: UInt32, group: UInt32) {
    let walk = try FolderWalk(path)
    let status = try walk.folder.status(walk.walked)
    return (status.st_uid, status.st_gid)
  }

  /// Becomes the owner of the folder at `path`, or of the nearest one above it that exists, if root started this
  /// process.
  ///
  /// For the whole process and permanently: it is called before the first thread starts and before the folder is
  /// opened.
  ///
  /// - Throws: ``SystemError`` if the path is not safe for root, or the kernel refuses.
  package static func become(ofFolderAt path: String) throws(SystemError) {
    guard startingUser == 0, geteuid() == 0 else { return }
    let owner = try of(path)
    guard owner.user != 0 else { return }
    var groups = groups(of: owner.user)
    let result = unsafe linux_become(owner.user, owner.group, &groups, groups.count)
    guard result >= 0 else {
      throw SystemError(
        path: path,
        sentence: "\(path) belongs to user \(owner.user), and root cannot become that user: "
          + "\(SystemError.text(-result)); run this as that user")
    }
  }

  /// Becomes the owner of the folder that holds, or is to hold, the file at `path`, if root started this process.
  ///
  /// - Throws: as ``become(ofFolderAt:)``.
  package static func become(ofFolderOf path: String) throws(SystemError) {
    try become(ofFolderAt: parentFolder(of: path))
  }

  /// The groups of `user`; none for a number without a name.
  private static func groups(of user: uid_t) -> [gid_t] {
    guard let entry = unsafe getpwuid(user) else { return [] }
    var groups = [gid_t](repeating: 0, count: maximumGroups)
    var count = Int32(groups.count)
    guard unsafe getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) >= 0 else { return [] }
    return Array(groups.prefix(Int(count)))
  }
}
