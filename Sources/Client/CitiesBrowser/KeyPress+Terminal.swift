internal import CNcurses

extension KeyPress {
  /// Translates a key of ncurses; `nil` for keys that the browser does not use.
  init?(_ raw: screen_key) {
    if raw.code == 0 {
      self.init(character: raw.character)
    } else if raw.code == screen_key_mouse {
      self.init(mouse: raw)
    } else if let key = Self.named[raw.code] {
      self = key
    } else if (1...12).contains(raw.code - screen_key_function) {
      self = .function(Int(raw.code - screen_key_function))
    } else {
      return nil
    }
  }

  private static let named: [Int32: KeyPress] = [
    screen_key_up: .up, screen_key_down: .down, screen_key_left: .left, screen_key_right: .right,
    screen_key_home: .home, screen_key_end: .end, screen_key_page_up: .pageUp, screen_key_page_down: .pageDown,
    screen_key_enter: .enter, screen_key_backspace: .backspace, screen_key_delete: .delete,
    screen_key_back_tab: .backTab,
  ]

  private init?(character: UInt32) {
    switch character {
    case 0x09: self = .tab
    case 0x0A, 0x0D: self = .enter
    case 0x1B: self = .escape
    case 0x08, 0x7F: self = .backspace
    case 0x01...0x1A:
      guard let letter = Unicode.Scalar(character + 0x60) else { return nil }
      self = .control(Character(letter))
    default:
      guard character >= 0x20, let scalar = Unicode.Scalar(character), !(0x80..<0xA0).contains(character) else {
        return nil
      }
      self = .character(Character(scalar))
    }
  }

  private init?(mouse raw: screen_key) {
    switch raw.button {
    case 1: self = .press(row: Int(raw.row), column: Int(raw.column))
    case 2: self = .wheelUp(row: Int(raw.row), column: Int(raw.column))
    case 3: self = .wheelDown(row: Int(raw.row), column: Int(raw.column))
    case 4: self = .drag(row: Int(raw.row), column: Int(raw.column))
    default: return nil
    }
  }
}
