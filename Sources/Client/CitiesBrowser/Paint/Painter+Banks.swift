internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

extension Painter {
  /// Paints the screen of the banks.
  func paint(_ screen: BankScreen) {
    let isTyping = screen.view == .list && screen.isTyping
    paintFilter(screen.filter, isTyping: isTyping, right: Strings.scope(screen))
    switch screen.view {
    case .list: paintList(screen)
    case .details: paintDetails(screen)
    case .map: paintMap(screen)
    }
  }

  private func paintList(_ screen: BankScreen) {
    let problem: WireError? =
      switch screen.list {
      case .headings: screen.regions.problem
      case .locations: screen.rows.problem
      case .nearest: screen.nearest.problem
      }
    if let problem { return paint(problem, offersSamples: true) }
    if screen.count == 0 && (screen.list != .locations || screen.rows.isCurrent) && screen.regions.value != nil {
      picture.put(Strings.noLocations, row: layout.body.lowerBound, column: 2, Style(.faint))
    }
    let lineRows = screen.list == .headings ? 1 : layout.rowsPerLocation
    let headings = screen.list == .headings ? screen.headings : []
    for (place, index) in screen.cursor.seen(count: screen.count, height: screen.height(layout)).enumerated() {
      let row = layout.body.lowerBound + place * lineRows
      if headings.indices.contains(index) {
        paint(headings[index], row)
      } else if let entry = screen.entry(at: index) {
        paint(entry, row)
      }
      if index == screen.cursor.selected { select(row..<row + lineRows, columns: layout.size.columns) }
    }
  }

  private func paint(_ heading: BankScreen.Heading, _ row: Int) {
    let end = layout.numbersEnd
    switch heading {
    case .country(_, let name, let count):
      picture.put(name, row: row, column: 2, width: end - 10, Style(.heading))
      picture.put("\(count)", row: row, endingAt: end, Style(.heading))
    case .region(let name, _, _, let count):
      picture.put(name ?? Strings.noRegion, row: row, column: 4, width: end - 12, Style(name == nil ? .faint : .plain))
      picture.put("\(count)", row: row, endingAt: end)
    }
  }

  private func paint(_ entry: BankEntry, _ row: Int) {
    let location = entry.location
    let end = layout.size.columns - 1
    let right = [entry.distance.map(ValueForm.distance), Strings.short(entry.open)].compactMap { $0 }.joined(
      separator: "  ")
    picture.put(right, row: row, endingAt: end)
    picture.put(MapMark.Kind(location.kind).sign(charset), row: row, column: 2, Style(.strong))
    // The same for all rows, so that their parts form columns: `1,708 km  closed`, or the last word alone.
    let room = end - 6 - (entry.distance == nil ? 6 : 16)
    guard layout.isWide else {
      picture.put(location.title, row: row, column: 4, width: room)
      picture.put(location.address, row: row + 1, column: 4, width: end - 4, Style(.faint))
      return
    }
    // The title of a location without a name is its address, which is not repeated.
    let names = min(32, room / 2)
    picture.put(location.title, row: row, column: 4, width: location.name == nil ? room : names)
    if location.name != nil {
      picture.put(location.address, row: row, column: 6 + names, width: room - names - 2, Style(.faint))
    }
  }

  private func marks(_ screen: BankScreen) -> [MapMark] {
    let here = screen.here.map { [MapMark(at: $0, kind: .here, label: Strings.you)] } ?? []
    let chosen = screen.selected?.location.id
    let marks = screen.marks.map { entry in
      MapMark(
        at: entry.location.position, kind: MapMark.Kind(entry.location.kind), label: entry.location.title,
        isChosen: entry.location.id == chosen)
    }
    return Array(marks.prefix(1)) + here + marks.dropFirst()
  }

  private func paintMap(_ screen: BankScreen) {
    guard let view = screen.drawn(layout) else { return }
    paint(view, marks(screen), screen.names, at: nil, row: layout.body.lowerBound, column: 0)
    // The selected location replaces the filter.
    guard let location = screen.selected?.location else { return }
    picture.clear(rows: layout.filter..<layout.filter + 1, columns: 0..<layout.size.columns)
    let line = location.name.map { "\($0), \(location.address)" } ?? location.address
    picture.put(
      "\(MapMark.Kind(location.kind).sign(charset)) \(line)", row: layout.filter, column: 1,
      width: layout.size.columns - 2, Style(.strong))
  }

  private func paintDetails(_ screen: BankScreen) {
    guard let entry = screen.details.value ?? screen.selected else { return }
    paint(Strings.details(of: entry))
    guard let view = screen.drawn(layout) else { return }
    let top = layout.body.lowerBound + layout.detailsRows
    paint(view, marks(screen), screen.names, at: nil, row: top, column: layout.detailsColumns)
  }
}
