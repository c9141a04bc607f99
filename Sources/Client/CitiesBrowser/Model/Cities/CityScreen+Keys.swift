extension CityScreen {
  /// Rows that a turn of the mouse wheel moves.
  static let wheel = 3

  /// Does what a key means on this screen.
  mutating func press(_ key: Key, _ layout: Layout) -> Outcome {
    if let move = Self.moves[key] {
      self.move(move, layout)
      return .handled
    }
    switch view {
    case .list: return pressInList(key, layout)
    case .details: return pressInDetails(key)
    }
  }

  private static let moves: [Key: ListCursor.Move] = [
    .up: .by(-1), .down: .by(1), .pageUp: .pages(-1), .pageDown: .pages(1), .home: .first, .end: .last,
    .wheelUp: .scroll(-wheel), .wheelDown: .scroll(wheel),
  ]

  private mutating func pressInList(_ key: Key, _ layout: Layout) -> Outcome {
    switch key {
    case .enter: return choose()
    case .press(let row, _):
      guard let city = layout.city(atRow: row), cursor.top + city < rows.total else { return .ignored }
      move(.to(cursor.top + city), layout)
    case .escape where isTyping: isTyping = false
    case .escape where !filter.isEmpty:
      filter = LineEditor()
      applyFilter()
    case .character("/") where !isTyping: isTyping = true
    case .character("a") where !isTyping: toggleMatch()
    case _ where isTyping: return type(key)
    default: return .ignored
    }
    return .handled
  }

  private mutating func type(_ key: Key) -> Outcome {
    let before = filter.text
    guard filter.press(key) else { return .ignored }
    if filter.text != before { applyFilter() }
    return .handled
  }

  private mutating func pressInDetails(_ key: Key) -> Outcome {
    switch key {
    case .escape, .character("l"): view = .list
    default: return .ignored
    }
    return .handled
  }
}
