internal import CitiesCommands

/// The file with the browser's settings: `$XDG_STATE_HOME/cities/browse`, else `~/.local/state/cities/browse`.
///
/// Readable by its owner only. Its contents are optional: an unreadable file counts as missing and never prevents
/// browsing.
struct BrowserStateFile {
  /// The most bytes read: a full list of visits with the longest names is shorter.
  private static let maximumSize = 128 * 1_024

  private let file: UserFile

  /// Finds the path of the file; `nil` if the environment names no folder for it.
  init?(environment: (String) -> String?) {
    let folders = [".local", ".local/state"]
    guard let file = UserFile("browse", under: "XDG_STATE_HOME", orAtHomeIn: folders, environment) else { return nil }
    self.file = file
  }

  /// The saved state, or the defaults.
  var state: BrowserState { Self.state((try? file.read(atMost: Self.maximumSize)) ?? []) }

  /// Changes the saved state atomically; concurrent changes by other browsers are kept.
  ///
  /// - Throws: If the file cannot be written.
  func keep(_ change: BrowserState.Change) throws {
    try file.change(atMost: Self.maximumSize) { old in
      var state = Self.state(old)
      state.apply(change)
      return Array(state.text.utf8)
    }
  }

  private static func state(_ bytes: [UInt8]) -> BrowserState {
    BrowserState(text: String(decoding: bytes, as: UTF8.self))
  }
}
