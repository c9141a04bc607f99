import CLinux
import Glibc
package import System

/// The owner of a folder: a process started by root becomes that user before it accesses the folder's files.
///
/// The owner may put links and multiply-linked files into the folder at any time. With only the owner's rights, the
/// process reaches nothing through them that the owner could not reach, and new files belong to the owner without
/// chown(2). For its own folder, root stays root.
package enum FolderOwner {
  /// The user that this process started as, for rules that must not change with ``become(ofFolderAt:)``.
  package static var startingUser: UInt32 { unsafe inherited ?? own }

  private static let own: UInt32 = geteuid()
  // Safe: set at most once, before the process has a second thread.
  nonisolated(unsafe) private static var inherited: UInt32?

  /// Makes the user that the parent process started as that of this process; called before any thread is started.
  package static func inherit(_ user: UInt32) { unsafe inherited = user }

  /// Most groups of a user.
  private static let maximumGroups = 1_024

  /// The user and group of the folder at `path`, or of the nearest one above it that exists.
  ///
  /// - Throws: ``SystemError``, for root also if another user could redirect the path.
  package static func of(_ path: String) throws(SystemError) -> (user: UInt32, group: UInt32) {
    let walk = try FolderWalk(path)
    let status = try walk.folder.status(walk.walked)
    return (status.st_uid, status.st_gid)
  }

  /// Becomes the owner of the folder at `path`, or of the nearest one above it that exists, if root started this
  /// process.
  ///
  /// The change is permanent for the whole process: call it before starting threads and opening the folder.
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

  /// The groups of `user`; none for a user id without an account.
  private static func groups(of user: uid_t) -> [gid_t] {
    guard let entry = unsafe getpwuid(user) else { return [] }
    var groups = [gid_t](repeating: 0, count: maximumGroups)
    var count = Int32(groups.count)
    guard unsafe getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) >= 0 else { return [] }
    return Array(groups.prefix(Int(count)))
  }
}
