import CitiesProtocol
import Folders
import FrameService
import Glibc
import Resident
import System

/// The server that may be running on this machine: `run --samples` compares the folder it reads with its own.
package enum RunningServer {
  /// Milliseconds to wait for a reply; without one there is nothing to compare.
  private static let timeout: Int64 = 1_000

  /// The folder that commands write to, and a warning if a running server reads another one.
  ///
  /// - Throws: `StateFolderError` if there is no state folder.
  package static func destination(
    environment: [String: String] = ProcessEnvironment.variables
  ) throws -> (folder: String, warning: String?) {
    let own = try StateFolder(user: FolderOwner.startingUser).path
    guard let socket = socket(environment), let folder = folder(of: socket),
      resolvedPath(folder) ?? folder != resolvedPath(own) ?? own
    else {
      return (own, nil)
    }
    // The folder of a system-wide server belongs to another user.
    let user = access(folder, W_OK) == 0 ? "" : "sudo "
    let remedy = "for its samples: \(user)CITIES_STATE=\(folder) citiesd-sync run --samples"
    return (own, "the server on \(socket) reads \(folder) and not \(own); \(remedy)")
  }

  /// Where clients look for the server: `CITIES_SOCKET`, else the user's socket, else the system's; one that another
  /// user could have made is not used.
  static func socket(_ environment: [String: String]) -> String? {
    if let given = environment["CITIES_SOCKET"], !given.isEmpty { return given }
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let folders = [runtime, "/run"].compactMap { $0 }
    return folders.map { "\($0)/cities/citiesd.sock" }.first(where: isUsed)
  }

  /// Whether a socket is there that no other user could have made.
  private static func isUsed(_ path: String) -> Bool {
    do throws(SystemError) { return try PathOwners.doubt(about: path) == nil } catch { return false }
  }

  /// The folder that the server on `socket` reads.
  private static func folder(of socket: String) -> String? {
    guard let loop = try? EventLoop() else { return nil }
    let peer = FramedPeer(loop, path: socket)
    var folder: String?
    peer.ask(Status(), within: timeout * 1_000_000) { answer in
      if case .success(let status) = answer { folder = status.folder }
      loop.stop()
    }
    try? loop.run()
    peer.hangUp()
    return folder
  }
}
