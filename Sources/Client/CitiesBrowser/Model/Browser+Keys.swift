internal import CitiesMap
internal import CitiesProtocol

extension Browser {
  /// Handles a key: in the open panel, on every screen, or on the current one.
  mutating func press(_ key: KeyPress) -> [Command] {
    notice = nil
    // Every other key takes back those that wait, and a move takes back an Enter.
    let earlier = waitingKeys.filter { key == .enter || $0 != .enter }
    waitingKeys = []
    let commands = perform(key)
    if !waitingKeys.isEmpty { waitingKeys = earlier + waitingKeys }
    return commands
  }

  /// Presses the keys that wait for data again, because some has arrived.
  mutating func pressWaitingKeys() -> [Command] {
    let keys = waitingKeys
    waitingKeys = []
    return keys.flatMap { press($0) }
  }

  private mutating func perform(_ key: KeyPress) -> [Command] {
    if key == .control("c") { return [.leave(.interrupted)] }
    if key == .control("l") { return [.redraw] }
    if case .paste = key {
      if case .position? = overlay {} else { overlay = nil }
    }
    if let overlay { return press(key, over: overlay) }
    // Alt with a letter is a command everywhere; a letter alone is one if no text is being typed.
    switch key {
    case .alt(let letter): if let commands = command(letter) { return commands }
    case .character(let letter) where !screen.isTyping || !screen.isAtList:
      if let commands = command(letter) { return commands }
    case .function(1): return command("?") ?? []
    case .tab where subjects.count > 1: return turn(by: 1)
    case .backTab where subjects.count > 1: return turn(by: -1)
    case .press(layout.tabs, let column): return subject(atColumn: column).map { show($0) } ?? []
    case .escape where purpose == .pick && screen.isAtList: return [.leave(.interrupted)]
    default: break
    }
    let reaction = screen.press(key, layout)
    if case .waiting = reaction { waitingKeys = [key] }
    guard case .ignored = reaction, key == .escape, screen.isAtList else { return react(reaction) }
    // From trade, which has no filter, the first Esc also leads back.
    return subject == .trade ? turn(by: 1) : [.leave(.done)]
  }

  /// The commands that all screens have; `nil` for other letters.
  private mutating func command(_ letter: Character) -> [Command]? {
    switch letter {
    case "q": return [.leave(.done)]
    case "?": overlay = .keys(from: 0)
    case "r" where purpose == .browse:
      if refreshes[subject]?.isSettled ?? true { refreshes[subject] = FetchedValue(subject) }
      overlay = .refresh(subject)
    case "v" where subject == .cities && !visits.isEmpty: overlay = .visits(selected: 0)
    default: return nil
    }
    return []
  }

  private mutating func turn(by places: Int) -> [Command] {
    let place = subjects.firstIndex(of: subject) ?? 0
    return show(subjects[(place + places + subjects.count) % subjects.count])
  }

  private mutating func show(_ subject: Subject) -> [Command] {
    self.subject = subject
    screen.settle(layout)
    return []
  }

  /// The subject whose name is in a column of the top row, between two spaces or brackets.
  private func subject(atColumn column: Int) -> Subject? {
    var end = 1
    return column < end
      ? nil
      : subjects.first {
        end += Strings.name(of: $0).utf8.count + 2
        return column < end
      }
  }

  /// Performs an action that a screen cannot perform itself.
  private mutating func react(_ reaction: Reaction) -> [Command] {
    switch reaction {
    case .ignored, .handled, .waiting: break
    case .failed(let reason): notice = Notice(text: reason, isProblem: true)
    case .chosen(let city):
      if purpose == .pick {
        let picked = cities.marked.flatMap { $0.isEmpty ? nil : $0 } ?? [city]
        return picked.map { change(.visit($0)) } + [.leave(.picked(picked, generation: cities.rows.generation ?? ""))]
      }
      cities.show(.details, layout)
      return [change(.visit(city))]
    case .over(let overlay): self.overlay = overlay
    case .perform(let command):
      if case .copy(let position) = command { notice = Notice(text: Strings.copied(position), isProblem: false) }
      return [command]
    case .wantsPosition:
      position = PositionPanel(suggestion: banks.here == nil ? zoneCity : nil)
      overlay = .position
    }
    return []
  }

  // MARK: - Over the screen

  private mutating func press(_ key: KeyPress, over overlay: Overlay) -> [Command] {
    switch overlay {
    case .keys(let line): press(key, onKeysFrom: line)
    case .hours, .refresh: self.overlay = nil
    case .currencies(let known, let selected): press(key, onCurrencies: known, selected)
    case .visits(let selected): return press(key, onVisits: selected)
    case .position: return pressOnPosition(key)
    }
    return []
  }

  private mutating func press(_ key: KeyPress, onKeysFrom line: Int) {
    switch key {
    case .down, .wheelDown, .pageDown, .control("n"), .character("j"):
      overlay = .keys(from: min(line + 1, layout.lastKeyLine))
    case .up, .wheelUp, .pageUp, .control("p"), .character("k"): overlay = .keys(from: max(0, line - 1))
    default: overlay = nil
    }
  }

  private mutating func press(_ key: KeyPress, onVisits selected: Int) -> [Command] {
    switch key {
    case .down, .wheelDown, .control("n"), .character("j"):
      overlay = .visits(selected: min(selected + 1, visits.count - 1))
    case .up, .wheelUp, .control("p"), .character("k"): overlay = .visits(selected: max(selected - 1, 0))
    case .enter:
      overlay = nil
      let city = visits[selected]
      cities.revisit(city, layout)
      return [change(.visit(city))]
    case .delete, .character("d"):
      let forgotten = change(.forget(id: visits[selected].id))
      overlay = visits.isEmpty ? nil : .visits(selected: min(selected, visits.count - 1))
      return [forgotten]
    case .escape: overlay = nil
    default: break
    }
    return []
  }

  private mutating func press(_ key: KeyPress, onCurrencies known: [String], _ selected: String) {
    let place = known.firstIndex(of: selected) ?? 0
    switch key {
    case .down, .control("n"): overlay = .currencies(known, selected: known[min(place + 1, known.count - 1)])
    case .up, .control("p"): overlay = .currencies(known, selected: known[max(place - 1, 0)])
    case .character(let letter):
      let typed = letter.uppercased()
      if let next = known.first(where: { $0.hasPrefix(typed) }) { overlay = .currencies(known, selected: next) }
    case .enter:
      overlay = nil
      trade.convert(to: selected)
    case .escape: overlay = nil
    default: break
    }
  }

  private mutating func pressOnPosition(_ key: KeyPress) -> [Command] {
    switch position.press(key) {
    case .open: break
    case .waiting: waitingKeys = [key]
    case .closed: overlay = nil
    case .found(let city, let isKept):
      overlay = nil
      (banks.here, cities.here) = (city.position, city.position)
      banks.setScope(.nearest)
      banks.show(.list, layout)
      return isKept ? [.keep(city.position)] : []
    }
    return []
  }
}
