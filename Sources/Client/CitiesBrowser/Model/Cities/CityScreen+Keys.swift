extension CityScreen {
  /// Does what a key means on this screen.
  mutating func press(_ key: Key, _ layout: Layout) -> Reaction {
    switch view {
    case .list: pressInList(key, layout)
    case .details: pressInDetails(key, layout)
    case .map: pressOnMap(key, layout)
    }
  }

  private mutating func pressInList(_ key: Key, _ layout: Layout) -> Reaction {
    if let move = ListCursor.moves[key] {
      self.move(move, layout)
      return .handled
    }
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
    case .character("a") where !isTyping, .alt("a"): toggleMatch()
    case .character("m") where !isTyping, .alt("m"): turn(to: .map, layout)
    case _ where isTyping: return type(key)
    default: return .ignored
    }
    return .handled
  }

  private mutating func type(_ key: Key) -> Reaction {
    let before = filter.text
    guard filter.press(key) else { return .ignored }
    if filter.text != before { applyFilter() }
    return .handled
  }

  private mutating func pressInDetails(_ key: Key, _ layout: Layout) -> Reaction {
    if let move = ListCursor.moves[key] {
      self.move(move, layout)
      return .handled
    }
    switch key {
    case .escape, .character("l"), .alt("l"): turn(to: .list, layout)
    case .character("m"), .alt("m"): turn(to: .map, layout)
    default: return .ignored
    }
    return .handled
  }

  private mutating func pressOnMap(_ key: Key, _ layout: Layout) -> Reaction {
    if pane.press(key, layout) { return .handled }
    switch key {
    case .escape, .character("l"), .alt("l"): turn(to: .list, layout)
    case .character("n"): walk(1, layout)
    case .character("p"): walk(-1, layout)
    case .character("0"), .character("m"), .alt("m"): turn(to: .map, layout)
    case .enter: return choose()
    default: return .ignored
    }
    return .handled
  }

  private mutating func walk(_ rows: Int, _ layout: Layout) {
    move(.by(rows), layout)
    if let selected { pane.follow(selected.position) }
  }
}
