internal import CitiesProtocol

/// An event that the browser reacts to.
enum BrowserEvent: Sendable {
  /// A key, or the mouse.
  case key(KeyPress)
  /// The screen has another size.
  case resized(ScreenSize)
  /// The server answered a question.
  case answer(id: UInt64, Result<BrowserReply, WireError>)
  /// There is a connection, with the state of the server's data.
  case connected(Watch.Reply)
  /// The connection is lost, and why; no open request will be answered.
  case disconnected(reason: String)
  /// The server reports a change.
  case news(Watch.Event)
  /// Whether a reply is late enough for a user to notice.
  case waiting(Bool)
  /// Some time has passed; sent while data that a screen needs is not there yet.
  case tick
  /// The user's position could not be kept, and why.
  case notKept(String)
}

/// A command for the loop around the browser.
enum Command: Sendable {
  case ask(IssuedRequest)
  /// Keep the user's position for later.
  case keep(Position)
  /// Redraw the whole screen, whatever the terminal shows.
  case redraw
  case leave(Departure)
}

/// How the user left the browser.
enum Departure: Sendable, Equatable {
  /// The user has seen enough.
  case done
  /// The user broke it off.
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
  /// The mouse wheel, towards the start of a list or its end.
  case wheelUp, wheelDown
  /// The mouse pressed in a cell.
  case press(row: Int, column: Int)
}

/// How many cells the screen has.
struct ScreenSize: Hashable, Sendable {
  /// The smallest screen that everything fits on.
  static let least = ScreenSize(rows: 10, columns: 40)

  var rows: Int
  var columns: Int

  init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

  var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
}
