internal import CitiesProtocol

extension BankScreen {
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
    case .enter: open(layout)
    case .press(let row, _):
      guard let line = line(atRow: row, layout) else { return .ignored }
      move(.to(line), layout)
    case .escape: return back()
    case .character("/") where !isTyping: isTyping = true
    case .character("m") where !isTyping, .alt("m"): turn(to: .map, layout)
    case .character("h") where !isTyping, .alt("h"): return showNearest(layout)
    case _ where isTyping: return type(key)
    default: return .ignored
    }
    return .handled
  }

  private func line(atRow row: Int, _ layout: Layout) -> Int? {
    let place = list == .headings ? row - layout.body.lowerBound : layout.city(atRow: row)
    guard layout.body.contains(row), let place, cursor.top + place < count else { return nil }
    return cursor.top + place
  }

  private mutating func open(_ layout: Layout) {
    guard list == .headings else {
      if selected != nil { turn(to: .details, layout) }
      return
    }
    guard headings.indices.contains(cursor.selected) else { return }
    switch headings[cursor.selected] {
    case .country(let code, let name, _): turn(to: .country(code, name: name))
    case .region(let region, let code, let name, _): turn(to: .region(region, country: code, name: name))
    }
  }

  /// Out of the filter, then out of what is listed.
  private mutating func back() -> Reaction {
    if isTyping {
      isTyping = false
    } else if !filter.isEmpty {
      filter = LineEditor()
      applyFilter()
    } else if scope != .headings {
      turn(to: .headings)
    } else {
      return .ignored
    }
    return .handled
  }

  /// Lists the locations nearest to the user; asked for again there, the position may be changed.
  mutating func showNearest(_ layout: Layout) -> Reaction {
    guard here != nil, scope != .nearest else { return .wantsPosition }
    turn(to: .nearest)
    turn(to: .list, layout)
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
    case .character("h"), .alt("h"): return showNearest(layout)
    case .enter:
      guard let entry = details.value ?? selected else { return .ignored }
      return .over(.hours(entry.location))
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
    case .character("0"): pane.fit(marks.map(\.location.position), in: layout.map)
    case .character("m"), .alt("m"): turn(to: .map, layout)
    case .character("h"), .alt("h"): return showNearest(layout)
    case .enter: open(layout)
    default: return .ignored
    }
    return .handled
  }

  private mutating func walk(_ rows: Int, _ layout: Layout) {
    move(.by(rows), layout)
    if let selected { pane.follow(selected.location.position) }
  }
}
