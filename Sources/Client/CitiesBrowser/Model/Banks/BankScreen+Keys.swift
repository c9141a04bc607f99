internal import CitiesProtocol

extension BankScreen {
  mutating func pressInList(_ key: Key, _ layout: Layout) -> Reaction {
    switch key {
    case .enter: open(layout)
    case .press(let row, _):
      guard let line = line(atRow: row, layout) else { return .ignored }
      move(.to(line), layout)
    case .escape where scope != .headings: turn(to: .headings)
    case .character("h"), .alt("h"): return showNearest(layout)
    default: return .ignored
    }
    return .handled
  }

  mutating func pressInDetails(_ key: Key, _ layout: Layout) -> Reaction {
    switch key {
    case .character("h"), .alt("h"): return showNearest(layout)
    case .enter:
      guard let entry = details.value ?? selected else { return .ignored }
      return .over(.hours(entry.location))
    default: return .ignored
    }
  }

  mutating func pressOnMap(_ key: Key, _ layout: Layout) -> Reaction {
    switch key {
    case .character("0"): pane.fit(marks.map(\.location.position), in: layout.map)
    case .character("h"), .alt("h"): return showNearest(layout)
    case .enter: open(layout)
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

  /// Lists the locations nearest to the user; asked for again there, the position may be changed.
  mutating func showNearest(_ layout: Layout) -> Reaction {
    guard here != nil, scope != .nearest else { return .wantsPosition }
    turn(to: .nearest)
    turn(to: .list, layout)
    return .handled
  }
}
