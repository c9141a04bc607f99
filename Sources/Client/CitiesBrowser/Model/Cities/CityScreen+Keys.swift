extension CityScreen {
  mutating func pressInList(_ key: Key, _ layout: Layout) -> Reaction {
    switch key {
    case .enter: return choose()
    case .press(let row, _):
      guard let city = layout.city(atRow: row), cursor.top + city < rows.total else { return .ignored }
      move(.to(cursor.top + city), layout)
    case .character("a"), .alt("a"): toggleMatch()
    default: return .ignored
    }
    return .handled
  }

  mutating func pressInDetails(_ key: Key, _ layout: Layout) -> Reaction { .ignored }

  mutating func pressOnMap(_ key: Key, _ layout: Layout) -> Reaction {
    switch key {
    case .character("0"): turn(to: .map, layout)
    case .enter: return choose()
    default: return .ignored
    }
    return .handled
  }
}
