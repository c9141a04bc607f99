internal import CitiesProtocol

/// What happens to the browser.
enum Event: Sendable {
  /// A key, or the mouse.
  case key(Key)
  /// The screen has another size.
  case resized(ScreenSize)
  /// The server answered a question.
  case answer(id: UInt64, Result<Answer, WireError>)
  /// The server can be asked; where its data stands.
  case connected(Watch.Reply)
  /// The server cannot be asked, and why; nothing that was asked will be answered.
  case disconnected(reason: String)
  /// The server tells of a change.
  case news(Watch.Event)
  /// Whether an answer has been due for a time that a user notices.
  case waiting(Bool)
  /// Some time has passed; told while something that is wanted is not there yet.
  case tick
  /// The user's position could not be kept, and why.
  case notKept(String)
}

/// What the browser wants done.
enum Command: Sendable {
  /// Send a question.
  case ask(Asked)
  /// Keep the user's position for later.
  case keep(Position)
  /// Draw all of the screen anew, whatever the terminal shows.
  case redraw
  /// Leave the screen.
  case leave(Departure)
}

/// How the browser is left.
enum Departure: Sendable, Equatable {
  /// The user has seen enough.
  case done
  /// The user broke it off.
  case interrupted
  /// The user has picked a city, which was read from a generation.
  case picked(CityRow, generation: String)
}

/// A key that the user pressed, or what the mouse did, whatever terminal it came from.
enum Key: Hashable, Sendable {
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

  /// Rows.
  var rows: Int
  /// Columns.
  var columns: Int

  /// Names a size.
  init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, columns) }

  /// Whether everything fits.
  var isEnough: Bool { rows >= Self.least.rows && columns >= Self.least.columns }
}
