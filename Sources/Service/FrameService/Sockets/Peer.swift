import CLinux
import Glibc

/// Who is at the other end of a connection, as the kernel noted it when the connection was made (`SO_PEERCRED`).
package struct Peer: Sendable, Equatable {
  /// The user.
  package var uid: UInt32
  /// The process; 0 if it is in another namespace.
  package var pid: Int32

  /// Names a peer.
  package init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
  }

  /// The peer of `descriptor`; nil if the kernel does not say.
  init?(of descriptor: Int32) {
    var credentials = linux_credentials()
    guard linux_peer_credentials(descriptor, &credentials) >= 0 else { return nil }
    self.init(uid: credentials.uid, pid: credentials.pid)
  }

  /// Whether it is root or the user this process runs as.
  package var isTrusted: Bool { uid == 0 || uid == Self.own }

  /// The user this process runs as; asked once, as each call is one to the kernel.
  private static let own = geteuid()
}
