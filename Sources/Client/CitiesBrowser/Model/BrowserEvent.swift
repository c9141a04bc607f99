internal import CitiesProtocol

/// An event that the browser reacts to.
enum BrowserEvent: Sendable {
  /// A key, or the mouse.
  case key(KeyPress)
  /// The screen has another size.
  case resized(ScreenSize)
  /// The server answered a question.
  case answer(id: UInt64, BrowserAnswer)
  /// There is a connection, with the state of the server's data.
  case connected(Watch.Reply)
  /// The connection is lost, and why; no open request will be answered.
  case disconnected(reason: String)
  /// The server reports a change.
  case news(Watch.Event)
  /// Whether a reply is late enough for a user to notice.
  case waiting(Bool)
  /// Some time has passed; sent while a screen lacks data.
  case tick
  /// The user has pressed no key for a moment; sent where ``Browser/wantsRest`` says so.
  case rested
  /// A minute of the clock has started, in seconds since 1970.
  case minute(Int64)
  /// A command could not be performed, and why.
  case failed(String)
  /// A command was performed, and what there is to say of it.
  case reported(String)
}

/// A command for the loop around the browser.
enum Command: Sendable {
  case ask(IssuedRequest)
  /// Keep the user's position for later.
  case keep(Position)
  /// Keep a part of the browser's state for later.
  case remember(BrowserState.Change)
  /// Put a position into the terminal's clipboard.
  case copy(Position)
  /// Show a position in the program that the desktop has for maps.
  case open(Position)
  /// Take the samples of banks and trade, if there is no data.
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
  /// The user has picked a city, which was read from a generation.
  case picked(CityRow, generation: String)
}

/// A key or a movement of the mouse, the same from every terminal.
enum KeyPress: Hashable, Sendable {
  /// A character that can be typed into a line.
  case character(Character)
  /// A character with the Alt key.
  case alt(Character)
  /// A letter with the Ctrl key.
  case control(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, pageUp, pageDown, home, end
  /// F1 and up.
  case function(Int)
  /// The mouse wheel turned over a cell, towards the start of a list or its end.
  case wheelUp(row: Int, column: Int)
  case wheelDown(row: Int, column: Int)
  /// The mouse pressed in a cell.
  case press(row: Int, column: Int)
  /// The mouse moved to a cell while it is pressed.
  case drag(row: Int, column: Int)
}

/// How many cells the screen has.
struct ScreenSize: Hashable, Sendable {
  /// The smallest screen on which everything fits.
  static let least = ScreenSize(rows: 10, columns: 40)

  var rows: Int
  var columns: Int

  var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
}
