internal import CitiesCommands
internal import CitiesProtocol

/// The file with the browser's settings: `$XDG_STATE_HOME/cities/browse`, else `~/.local/state/cities/browse`.
///
/// Only its owner may read it. Nothing in it is needed: a file that cannot be read counts as none, so that no fault of
/// it keeps anybody from browsing.
struct BrowserStateFile {
  /// Bytes that are read: all visits with the longest names are fewer.
  private static let largest = 128 * 1_024

  private let file: UserFile

  /// Finds the place of the file; `nil` if there is none.
  init?(environment: (String) -> String?) {
    let folders = [".local", ".local/state"]
    guard let file = UserFile("browse", under: "XDG_STATE_HOME", orAtHomeIn: folders, environment) else { return nil }
    self.file = file
  }

  /// The kept state; the usual one if there is none.
  var state: BrowserState { Self.state((try? file.read(atMost: Self.largest)) ?? []) }

  /// Makes a change to the kept state, whole or not at all; the changes of other browsers are kept.
  ///
  /// - Throws: the reason.
  func keep(_ change: BrowserState.Change) throws {
    try file.change(atMost: Self.largest) { old in
      var state = Self.state(old)
      state.apply(change)
      return Array(state.text.utf8)
    }
  }

  private static func state(_ bytes: [UInt8]) -> BrowserState {
    BrowserState(text: String(decoding: bytes, as: UTF8.self))
  }
}
