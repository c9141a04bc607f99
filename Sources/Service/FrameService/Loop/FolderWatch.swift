import CLinux
import Glibc
package import System

/// Reports when files in a folder are created, deleted, replaced or changed (inotify(7)), even if the folder itself is
/// created later.
///
/// While the folder is missing, its nearest existing ancestor is watched instead. The report says only that something
/// happened; the caller must check the files, as the names and the order of events are unreliable.
package final class FolderWatch: EventSource {
  private let descriptor: Int32
  private let folder: String
  private let names: Set<TextKey>?
  private let action: () -> Void
  private var watch: Int32 = -1
  private var watched = ""
  private var buffer = [UInt8](repeating: 0, count: 4_096)

  /// Watches `folder` and calls `action` on the loop thread, once per batch of events.
  ///
  /// With `names`, events of other files are not reported: a writer's temporary file changes a thousand times.
  ///
  /// - Throws: ``SystemError`` if no inotify descriptor or watch is available.
  package init(
    _ loop: EventLoop, folder: String, names: Set<TextKey>? = nil, _ action: @escaping () -> Void
  ) throws(SystemError) {
    descriptor = linux_inotify_create()
    self.folder = folder
    self.names = names
    self.action = action
    guard descriptor >= 0 else { throw SystemError("inotify_init1", result: descriptor) }
    let failure = watchNearest()
    guard watch >= 0 else { throw SystemError("inotify_add_watch", folder, result: failure) }
    _ = try loop.add(self, descriptor, interest: linux_readable)
  }

  deinit { close(descriptor) }

  /// Whether the folder itself is watched, not an ancestor.
  package var isComplete: Bool { watched == folder }

  package func ready(_ events: UInt32) {
    var concernsNames = false
    while case let count = linux_read(descriptor, &buffer, buffer.count), count > 0 {
      if !concernsNames { concernsNames = hasNews(count) }
    }
    let before = watched
    _ = watchNearest()
    // An event in an ancestor counts only if the folder is nearer now.
    if isComplete && concernsNames || watched != before { action() }
  }

  /// Whether the first `count` bytes of the buffer report a file in `names`, the folder itself, or lost events.
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

  /// Watches the folder or its nearest existing ancestor; returns the result of the last call.
  ///
  /// A nearer folder may appear before its ancestor is watched, without an event: the search is repeated until it ends
  /// where it ended before.
  private func watchNearest() -> Int32 {
    var (path, previous) = (folder, "")
    while true {
      // The same folder returns the same watch; a new folder at the same path returns a new one.
      let found = linux_inotify_folder(descriptor, path)
      if found >= 0 {
        remember(found, path)
        if path == folder || path == previous { return found }
        (path, previous) = (folder, path)
      } else {
        if path == "/" || path.isEmpty { return found }
        path = parentFolder(of: path)
      }
    }
  }

  private func remember(_ found: Int32, _ path: String) {
    if watch >= 0, watch != found { _ = linux_inotify_forget(descriptor, watch) }
    (watch, watched) = (found, path)
  }
}
