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
  /// The mouse wheel, towards the begin of a list or its end.
  case wheelUp, wheelDown
  /// The mouse pressed in a cell.
  case press(row: Int, column: Int)
}
