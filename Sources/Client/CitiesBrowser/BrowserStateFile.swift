internal import CitiesCommands
internal import CitiesProtocol
internal import Glibc

/// The file with the browser's settings: `$XDG_STATE_HOME/cities/browse`, else `~/.local/state/cities/browse`.
///
/// Only its owner may read it. Nothing in it is needed: a file that cannot be read counts as none, so that no fault of it
/// keeps anybody from browsing.
struct BrowserStateFile {
  /// Bytes that are read: all visits with the longest names are fewer.
  private static let largest = 128 * 1_024

  private let folders: [String]
  private let path: String

  /// Finds the place of the file; `nil` if there is none.
  ///
  /// Relative variables are ignored, as the XDG Base Directory Specification demands.
  init?(environment: (String) -> String?) {
    if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") {
      folders = [base, base + "/cities"]
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      folders = [home + "/.local", home + "/.local/state", home + "/.local/state/cities"]
    } else {
      return nil
    }
    path = (folders.last ?? "") + "/browse"
  }

  /// The kept state; the usual one if there is none.
  var state: BrowserState {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return BrowserState() }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.largest)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count) }
      guard more > 0 else { break }
      count += more
    }
    return BrowserState(text: String(decoding: bytes.prefix(count), as: UTF8.self))
  }

  /// Makes a change to the kept state, whole or not at all.
  ///
  /// The file is read again first: another browser may have changed it since.
  ///
  /// - Throws: ``DesktopError`` with the reason.
  func keep(_ change: BrowserState.Change) throws(DesktopError) {
    var state = self.state
    state.apply(change)
    for folder in folders where mkdir(folder, 0o700) != 0 && errno != EEXIST { throw failure() }
    // Other users cannot guess the name, and an existing file or link is never opened.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure() }
    let isWritten = (try? OutputStream.write(Array(state.text.utf8), to: descriptor)) != nil
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
      let failure = failure()
      unlink(temporary)
      throw failure
    }
  }

  private func failure() -> DesktopError { DesktopError(reason: "\(path): \(String(cString: strerror(errno)))") }
}
