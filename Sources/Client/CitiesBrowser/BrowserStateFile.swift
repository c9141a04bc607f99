internal import CitiesCommands
internal import CitiesProtocol
internal import Glibc

/// The file with the browser's settings: `$XDG_STATE_HOME/cities/browse`, else `~/.local/state/cities/browse`.
///
/// It holds one line, `order key` or `order population`. It is optional: a file that cannot be read is ignored, so that
/// its faults never prevent browsing.
struct BrowserStateFile {
  private static let largest = 256

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

  /// The order that was chosen last; the usual one if none is kept.
  var order: CitySearch.Sort {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .key }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.largest)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return .key }
    return Self.order(in: String(decoding: bytes.prefix(count), as: UTF8.self))
  }

  /// The order that a text of the file names.
  static func order(in text: String) -> CitySearch.Sort {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "order", let order = CitySearch.Sort(rawValue: String(words[1])) { return order }
    }
    return .key
  }

  /// Keeps the order, whole or not at all.
  ///
  /// - Throws: ``DesktopError`` with the reason.
  func write(_ order: CitySearch.Sort) throws(DesktopError) {
    for folder in folders where mkdir(folder, 0o700) != 0 && errno != EEXIST { throw failure() }
    // Other users cannot guess the name, and an existing file or link is never opened.
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure() }
    let isWritten = (try? OutputStream.write(Array("order \(order.rawValue)\n".utf8), to: descriptor)) != nil
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
      let failure = failure()
      unlink(temporary)
      throw failure
    }
  }

  private func failure() -> DesktopError { DesktopError(reason: "\(path): \(String(cString: strerror(errno)))") }
}
