import Glibc
import System

/// The folder that root is about to make a socket in: nobody else may change where its path leads.
///
/// A socket that lies at a path is looked at, asked and removed by that path. Whoever may exchange a folder on the way, or
/// a link, would choose what root removes and where it binds. For other users a path leads to nothing that they could not
/// reach anyway.
enum SocketFolder {
  /// Links that are followed at most, as by the kernel (path_resolution(7)).
  private static let maximumLinks = 40

  /// Refuses `path`, if this is root, unless every folder on the way belongs to root and can be changed by root alone.
  ///
  /// In a folder with the sticky bit, such as `/tmp`, others may make files, but not rename or remove those of root.
  ///
  /// - Throws: ``ServiceError`` with the folder or link that another user may change, and the exit code 77; with `hint` if
  ///   there is no such folder, as another user could make it a moment later.
  /// - Complexity: two system calls per component.
  static func requireSafe(_ path: String, hint: String) throws(ServiceError) {
    guard geteuid() == 0 else { return }
    func failure(_ number: Int32) -> ServiceError {
      ServiceError(SystemError("bind", path, result: number), hint: hint)
    }
    var folder = "/"
    var rest = components(path.hasPrefix("/") ? path : "\(workingFolder)/\(path)").dropFirst()
    var links = 0
    try requireSafeFolder(folder)
    while let name = rest.popLast() {
      let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      guard let status = status(of: next) else { throw failure(errno) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        folder = next
        try requireSafeFolder(folder)
        continue
      }
      links += 1
      guard status.st_uid == 0 else { throw refusal("the link \(next) belongs to user \(status.st_uid)") }
      guard links <= maximumLinks else { throw failure(ELOOP) }
      guard let target = target(of: next) else { throw failure(errno) }
      rest += components(target)
      if target.hasPrefix("/") { folder = "/" }
    }
  }

  private static func requireSafeFolder(_ folder: String) throws(ServiceError) {
    guard let status = status(of: folder), status.st_mode & S_IFMT == S_IFDIR else { return }
    guard status.st_uid == 0 else { throw refusal("the folder \(folder) belongs to user \(status.st_uid)") }
    let others = S_IWOTH | (status.st_gid == 0 ? 0 : S_IWGRP)
    guard status.st_mode & others == 0 || status.st_mode & S_ISVTX != 0 else {
      throw refusal("other users may change the folder \(folder) (chmod go-w \(folder) forbids it)")
    }
  }

  private static func refusal(_ why: String) -> ServiceError {
    ServiceError("\(why), so root makes no socket below it; name a path that root alone can change", .permission)
  }

  /// The components of `path`, the first one last.
  private static func components(_ path: String) -> ArraySlice<String> {
    path.split(separator: "/").reversed().filter { $0 != "." }.map(String.init)[...]
  }

  private static var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  private static func target(of link: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &target, target.count)
    return count < 0 ? nil : String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
