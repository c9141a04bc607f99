internal import CitiesClient
internal import Glibc
internal import System

extension Diagnosis {
  /// The caller's state folder: its existence and permissions; `served` is the one that the running server reads.
  ///
  /// Only the caller's permissions are checked. Those of the running server's user show in its data and in the errors
  /// of feeds.
  static func ofStateFolder(_ path: String, served: String?, _ environment: (String) -> String?) -> Diagnosis {
    let (check, word, variable) = ("state folder", quotedForShell(path), "CITIES_STATE")
    let unset = environment(variable).flatMap { $0.isEmpty ? nil : "unset \(variable)" }
    var status = stat()
    let isThere = stat(path, &status) == 0
    if !isThere, errno == ENOENT { return ofMissingFolder(check, path, served: served, unset) }
    if isThere, status.st_mode & S_IFMT != S_IFDIR {
      return .wrong(check, "\(path) is not a folder", remedy: unset ?? "mv \(word) \(word).old")
    }
    guard isThere, access(path, R_OK | X_OK) == 0 else {
      return .wrong(check, "\(path) cannot be read: \(SystemError.text(errno))", remedy: "ls -ld \(word)")
    }
    // Only its owner, or root as its owner, writes to it.
    guard status.st_uid == geteuid() || geteuid() == 0, access(path, W_OK) != 0 else { return .ok(check, path) }
    let message = "\(path) cannot be written: \(SystemError.text(errno))"
    return .wrong(check, message, remedy: "ls -ld \(word); chmod u+w \(word)")
  }

  private static func ofMissingFolder(_ check: String, _ path: String, served: String?, _ unset: String?) -> Diagnosis {
    // A running server has its own folder.
    if let served, unset == nil { return .ok(check, served) }
    var above = path
    repeat {
      above = parentFolder(of: above)
    } while access(above, F_OK) != 0 && above != "/" && above != "."
    if access(above, W_OK | X_OK) == 0 {
      return .note(check, "\(path) does not exist yet", remedy: "citiesd-sync run, which makes it")
    }
    let message = "\(path) does not exist, and cannot be made in \(above): \(SystemError.text(errno))"
    return .wrong(check, message, remedy: unset ?? "ls -ld \(quotedForShell(above))")
  }

  /// Environment variables of the programs with invalid values.
  ///
  /// Paths depend on the working folder unless they are absolute; folders of the XDG Base Directory Specification are
  /// ignored then.
  static func ofVariables(_ environment: (String) -> String?) -> [Diagnosis] {
    func findings(_ names: [String], _ problem: (String) -> String?) -> [Diagnosis] {
      names.compactMap { name in
        guard let text = environment(name), !text.isEmpty, let problem = problem(text) else { return nil }
        return .wrong("variable \(name)", "\(name)=\(text): \(problem)", remedy: "unset \(name)")
      }
    }
    let paths = [SocketLocation.variable, "CITIES_STATE", FeedTask.variable, "CITIES_SYNC_SOCKET"]
    let folders = findings(["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]) {
      $0.hasPrefix("/") ? nil : "the path is not absolute, so it is ignored"
    }
    let numbers = ["CITIESD_IDLE_EXIT", "CITIESD_MAX_CONNECTIONS", "CITIESD_MAX_CONNECTIONS_PER_UID"]
    return findings(paths) { $0.hasPrefix("/") ? nil : "the path is not absolute" }
      + folders.map { .note($0.check, $0.message) }
      + findings(numbers) {
        Int($0).map { $0 < 1 } ?? true ? "expected a number from 1 on; citiesd does not start with it" : nil
      } + findings([FeedTask.variable]) { access($0, F_OK) == 0 ? nil : SystemError.text(errno) }
  }
}
