import CLinux
import Glibc
package import Resident

/// Who writes: a process that root started becomes the owner of the folder before it touches what is in it.
///
/// The owner of a state folder may put links, and files with several names, into it at any time. With the owner's rights,
/// nothing is reached through them that the owner could not reach anyway; and what is made belongs to the owner, without
/// any chown(2). In a folder of its own root stays root.
package enum FolderOwner {
  /// The user that this process started as: rules that depend on the user go on as they began.
  package static let startingUser: UInt32 = geteuid()

  /// The groups of one user that are looked at.
  private static let maximumGroups = 1_024

  /// Becomes the owner of `state`, or of the nearest folder above it that exists, if root started this process.
  ///
  /// For the whole process and for good: it is called before the first thread starts and before the folder is opened.
  ///
  /// - Throws: ``FeedError`` if the path is not safe for root, or the kernel refuses.
  package static func become(of state: StateFolder) throws(FeedError) { try become(ofFolderAt: state.path) }

  /// Becomes the owner of the folder at `path`, or of the nearest one above it that exists, if root started this process.
  ///
  /// - Throws: as ``become(of:)``.
  package static func become(ofFolderAt path: String) throws(FeedError) {
    guard startingUser == 0, geteuid() == 0 else { return }
    let owner: (user: uid_t, group: gid_t)
    do throws(FileError) { owner = try StateFolder.owner(of: path) } catch { throw FeedError(error) }
    guard owner.user != 0 else { return }
    var groups = groups(of: owner.user)
    let result = linux_become(owner.user, owner.group, &groups, groups.count)
    guard result >= 0 else {
      throw FeedError(
        .permission,
        "\(path) belongs to user \(owner.user), and root cannot become that user: "
          + "\(String(cString: strerror(-result))); run this as that user")
    }
  }

  /// Becomes the owner of the folder that the file at `path` is to be made in, if root started this process.
  ///
  /// - Throws: as ``become(of:)``.
  package static func become(ofFolderOf path: String) throws(FeedError) {
    try become(ofFolderAt: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  /// The groups of `user`; none for a number without a name.
  private static func groups(of user: uid_t) -> [gid_t] {
    guard let entry = getpwuid(user) else { return [] }
    var groups = [gid_t](repeating: 0, count: maximumGroups)
    var count = Int32(groups.count)
    guard getgrouplist(entry.pointee.pw_name, entry.pointee.pw_gid, &groups, &count) >= 0 else { return [] }
    return Array(groups.prefix(Int(count)))
  }
}
