import CLinux
import Glibc

/// Tells when files come, go or are replaced in a folder (inotify(7)), also if the folder itself comes later.
///
/// While the folder is missing, its nearest existing ancestor is watched in its place. It says only that something
/// happened; who is told looks for himself, as names and order of events say nothing certain.
package final class FolderWatch: EventSource {
  private let descriptor: Int32
  private let folder: String
  private let action: () -> Void
  private var watch: Int32 = -1
  private var watched = ""
  private var buffer = [UInt8](repeating: 0, count: 4_096)

  /// Watches `folder` and calls `action` on the loop's thread, once for what happened at a time.
  ///
  /// - Throws: if the kernel gives no inotify descriptor.
  package init(_ loop: EventLoop, folder: String, _ action: @escaping () -> Void) throws(SystemError) {
    descriptor = linux_inotify_create()
    self.folder = folder
    self.action = action
    guard descriptor >= 0 else { throw SystemError("inotify_init1", result: descriptor) }
    _ = try loop.add(self, descriptor, interest: linux_readable)
    watchNearest()
  }

  deinit { close(descriptor) }

  /// Whether the folder itself is watched, and not an ancestor.
  package var isComplete: Bool { watched == folder }

  package func ready(_ events: UInt32) {
    while linux_read(descriptor, &buffer, buffer.count) > 0 {}
    let before = watched
    watchNearest()
    // What happens in an ancestor is no news, unless the folder has come nearer.
    if isComplete || watched != before { action() }
  }

  /// Watches the folder or the nearest ancestor there is.
  ///
  /// Ends: `/` is there.
  private func watchNearest() {
    var path = folder
    while true {
      // The same folder gives the same watch; a new one at the same path gives a new one.
      let found = linux_inotify_folder(descriptor, path)
      if found >= 0 { return remember(found, path) }
      if path == "/" || path.isEmpty { return }
      path = parent(of: path)
    }
  }

  private func remember(_ found: Int32, _ path: String) {
    if watch >= 0, watch != found { _ = linux_inotify_forget(descriptor, watch) }
    (watch, watched) = (found, path)
  }
}

/// The folder that `path` stands in.
func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
