package import FrameService

/// Where the sync service listens.
package enum SyncSocket {
  /// The socket's name.
  package static let file = "sync.sock"

  /// The plan: what the service manager passed as `sync`, else `CITIES_SYNC_SOCKET`, else beside the server's socket.
  ///
  /// The server's own socket is told by `CITIES_SOCKET`; where that is not set, both lie in `/run/cities` or
  /// `$XDG_RUNTIME_DIR/cities`. Only the server asks here, so the mode is 0660, and 0600 for a user's.
  package static func plan(environment: [String: String]) -> SocketPlan {
    let beside = environment["CITIES_SOCKET"].flatMap { $0.isEmpty ? nil : besides($0) }
    return SocketPlan(name: "sync", file: file, variable: "CITIES_SYNC_SOCKET", systemMode: 0o660, path: beside)
  }

  private static func besides(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return file }
    return "\(path[...slash])\(file)"
  }
}
