internal import CitiesProtocol

/// An event that the browser reacts to.
enum BrowserEvent: Sendable {
  /// A key, or the mouse.
  case key(KeyPress)
  /// The screen was resized.
  case resized(ScreenSize)
  /// The server answered a request.
  case answer(id: UInt64, BrowserAnswer)
  /// The connection was made, with the state of the server's data.
  case connected(Watch.Reply)
  /// The connection was lost, for a reason; open requests will not be answered.
  case disconnected(reason: String)
  /// The server reports a change.
  case news(Watch.Event)
  /// Whether a reply is late enough for a user to notice.
  case waiting(Bool)
  /// A tick of the timer that runs while a screen lacks data.
  case tick
  /// The user is idle; sent only if ``Browser/wantsRest``.
  case rested
  /// A new minute has started, in seconds since 1970.
  case minute(Int64)
  /// A command failed, for a reason.
  case failed(String)
  /// A command was performed, with a message for the user.
  case reported(String)
}

/// A command for the loop around the browser.
enum Command: Sendable {
  case ask(IssuedRequest)
  /// Save the user's position.
  case keep(Position)
  /// Save a change of the browser's state.
  case remember(BrowserState.Change)
  /// Copy a position to the terminal's clipboard.
  case copy(Position)
  /// Open a position in the desktop's map program.
  case open(Position)
  /// Load the samples of banks and trade if there is no data.
  case loadSamples
  /// Redraw the whole screen, regardless of its content.
  case redraw
  case leave(Departure)
}

/// How the user left the browser.
enum Departure: Sendable, Equatable {
  /// The user quit.
  case done
  /// The user cancelled.
  case interrupted
  /// The user picked cities, with the generation of the list.
  case picked([CityRow], generation: String)
}

/// A key press or mouse event, independent of the terminal.
enum KeyPress: Hashable, Sendable {
  /// A character that can be typed into a line.
  case character(Character)
  /// Text that was pasted, on one line.
  case paste(String)
  /// A character with the Alt key.
  case alt(Character)
  /// A letter with the Ctrl key.
  case control(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, pageUp, pageDown, home, end
  /// F1 and up.
  case function(Int)
  /// The mouse wheel turned over a cell, towards the start or the end of a list.
  case wheelUp(row: Int, column: Int)
  case wheelDown(row: Int, column: Int)
  /// A mouse button pressed in a cell.
  case press(row: Int, column: Int)
  /// The mouse dragged to a cell.
  case drag(row: Int, column: Int)
}

/// The size of the screen in cells.
struct ScreenSize: Hashable, Sendable {
  /// The smallest screen on which everything fits.
  static let least = ScreenSize(rows: 10, columns: 40)

  var rows: Int
  var columns: Int

  var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
}
