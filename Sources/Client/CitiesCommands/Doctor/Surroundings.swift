internal import CitiesClient
internal import Glibc
internal import System

/// The caller's state folder: its existence and permissions.
///
/// Only the caller's permissions are checked. Those of the running server's user show in its data and in the errors of
/// feeds.
struct FolderFinding {
  private static let check = "state folder"
  private static let variable = "CITIES_STATE"

  private let path: String
  private let served: String?
  private let isNamed: Bool

  /// Checks the folder at `path`; `served` is the one that the running server reads.
  init(_ path: String, served: String?, _ environment: (String) -> String?) {
    (self.path, self.served) = (path, served)
    isNamed = environment(Self.variable).map { !$0.isEmpty } ?? false
  }

  var diagnosis: Diagnosis {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == ENOENT ? missing : unreadable }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return .wrong(Self.check, "\(path) is not a folder", remedy: isNamed ? unset : "mv \(word) \(word).old")
    }
    guard access(path, R_OK | X_OK) == 0 else { return unreadable }
    // Only its owner, or root as its owner, writes to it.
    guard status.st_uid == geteuid() || geteuid() == 0, access(path, W_OK) != 0 else { return .ok(Self.check, path) }
    let reason = SystemError.text(errno)
    return .wrong(Self.check, "\(path) cannot be written: \(reason)", remedy: "ls -ld \(word); chmod u+w \(word)")
  }

  private var word: String { shellWord(path) }
  private var unset: String { "unset \(Self.variable)" }

  private var unreadable: Diagnosis {
    .wrong(Self.check, "\(path) cannot be read: \(SystemError.text(errno))", remedy: "ls -ld \(word)")
  }

  private var missing: Diagnosis {
    // A running server has its own folder.
    if let served, !isNamed { return .ok(Self.check, served) }
    var above = path
    repeat {
      above = parentFolder(of: above)
    } while access(above, F_OK) != 0 && above != "/" && above != "."
    if access(above, W_OK | X_OK) == 0 {
      return .note(Self.check, "\(path) does not exist yet", remedy: "citiesd-sync run, which makes it")
    }
    let message = "\(path) does not exist, and cannot be made in \(above): \(SystemError.text(errno))"
    return .wrong(Self.check, message, remedy: isNamed ? unset : "ls -ld \(shellWord(above))")
  }
}

/// Environment variables of the programs with invalid values.
struct VariableFindings {
  /// Paths, which depend on the working folder unless they are absolute.
  private static let paths = [SocketLocation.variable, "CITIES_STATE", "CITIES_SYNC_CONFIG", "CITIES_SYNC_SOCKET"]
  private static let numbers = ["CITIESD_IDLE_EXIT", "CITIESD_MAX_CONNECTIONS", "CITIESD_MAX_CONNECTIONS_PER_UID"]
  /// Folders of the XDG Base Directory Specification, ignored unless they are absolute.
  private static let folders = ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]

  /// The findings; empty if there are no problems.
  let all: [Diagnosis]

  init(_ environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    func finding(_ name: String, _ text: String, _ problem: String) -> Diagnosis {
      .wrong("variable \(name)", "\(name)=\(text): \(problem)", remedy: "unset \(name)")
    }
    var all: [Diagnosis] = []
    for name in Self.paths + Self.folders {
      guard let text = value(name), !text.hasPrefix("/") else { continue }
      let isIgnored = Self.folders.contains(name)
      let problem = "the path is not absolute\(isIgnored ? ", so it is ignored" : "")"
      all.append(isIgnored ? .note("variable \(name)", "\(name)=\(text): \(problem)") : finding(name, text, problem))
    }
    for name in Self.numbers {
      guard let text = value(name), Int(text).map({ $0 < 1 }) ?? true else { continue }
      all.append(finding(name, text, "expected a number from 1 on; citiesd does not start with it"))
    }
    if let text = value("CITIES_SYNC_CONFIG"), access(text, F_OK) != 0 {
      all.append(finding("CITIES_SYNC_CONFIG", text, SystemError.text(errno)))
    }
    self.all = all
  }
}
