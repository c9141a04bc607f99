import CLinux
import Glibc
package import System

/// Reports when files come, go, are replaced or changed in a folder (inotify(7)), also if the folder itself comes
/// later.
///
/// While the folder is missing, its nearest existing ancestor is watched in its place. It says only that something
/// happened; the caller looks for itself, as names and order of events say nothing certain.
package final class FolderWatch: EventSource {
  private let descriptor: Int32
  private let folder: String
  private let names: Set<String>?
  private let action: () -> Void
  private var watch: Int32 = -1
  private var watched = ""
  private var buffer = [UInt8](repeating: 0, count: 4_096)

  /// Watches `folder` and calls `action` on the loop's thread, once for what happened at a time.
  ///
  /// With `names`, what happens to files of other names is not reported: a writer's temporary file changes a thousand
  /// times.
  ///
  /// - Throws: if the kernel gives no inotify descriptor.
  package init(
    _ loop: EventLoop, folder: String, names: Set<String>? = nil, _ action: @escaping () -> Void
  ) throws(SystemError) {
    descriptor = linux_inotify_create()
    self.folder = folder
    self.names = names
    self.action = action
    guard descriptor >= 0 else { throw SystemError("inotify_init1", result: descriptor) }
    _ = try loop.add(self, descriptor, interest: linux_readable)
    watchNearest()
  }

  deinit { close(descriptor) }

  /// Whether the folder itself is watched, and not an ancestor.
  package var isComplete: Bool { watched == folder }

  package func ready(_ events: UInt32) {
    var concernsNames = false
    while case let count = linux_read(descriptor, &buffer, buffer.count), count > 0 {
      if !concernsNames { concernsNames = hasNews(count) }
    }
    let before = watched
    watchNearest()
    // An event in an ancestor counts only if the folder has come nearer.
    if isComplete && concernsNames || watched != before { action() }
  }

  /// Whether the first `count` bytes of the buffer report a file of interest, the folder itself, or that reports were
  /// lost.
  private func hasNews(_ count: Int) -> Bool {
    guard let names else { return true }
    return buffer.withUnsafeBytes { bytes in
      var offset = 0
      while offset + linux_inotify_header <= count {
        let length = Int(bytes.loadUnaligned(fromByteOffset: offset + linux_inotify_length, as: UInt32.self))
        let name = bytes[(offset + linux_inotify_header)...].prefix(length).prefix { $0 != 0 }
        if name.isEmpty || names.contains(String(decoding: name, as: UTF8.self)) { return true }
        offset += linux_inotify_header + length
      }
      return false
    }
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
      path = parentFolder(of: path)
    }
  }

  private func remember(_ found: Int32, _ path: String) {
    if watch >= 0, watch != found { _ = linux_inotify_forget(descriptor, watch) }
    (watch, watched) = (found, path)
  }
}
