internal import CitiesProtocol

/// What a city's row in a list does not say.
struct CityFacts: Hashable, Sendable {
  /// The name of its region.
  var region: String?
  /// Its time zone.
  var zone: String?
  /// What its clocks show, as `2026-11-22T13:52:05`; `nil` where the rules of its zone are not known.
  var local: String?
  /// The offset of its clocks from UTC, as `+02:00`.
  var offset: String?

  init(_ row: CityTime.Row) {
    (region, zone) = (row.city?.region, row.zone)
    (local, offset) = (row.local, row.offset)
  }
}

extension CityScreen {
  /// The city of the details or of the preview.
  private func subject(_ layout: Layout) -> CityRow? {
    switch view {
    case .list: layout.hasPreview ? previewTarget : nil
    case .details: selected
    case .map: nil
    }
  }

  /// Asks for region and local time of the city that details or preview are about, and for the other names in details.
  mutating func askForFacts(_ layout: Layout, _ window: inout RequestWindow) {
    let subject = subject(layout)
    facts.setKey(subject?.id)
    if facts.isMissing, let subject, let id = window.ask(.time(CityTime(places: [Place(id: subject.id)]))) {
      facts.didSend(id)
    }
    // Other names take the server a thousand times as long as a row: a preview does without them.
    otherNames.setKey(view == .details ? subject?.id : nil)
    if otherNames.isMissing, let subject, let id = window.ask(.city(CityGet(id: subject.id, with: [.alternates]))) {
      otherNames.didSend(id)
    }
  }

  /// Takes an answer about the city of the details or the preview.
  mutating func take(_ id: UInt64, _ reply: CityTime.Reply) {
    guard facts.claim(id) else { return }
    guard let row = reply.rows.first else { return facts.fail(WireError(.malformed, Strings.unreadable("no rows"))) }
    facts.fill(CityFacts(row))
  }

  /// Takes the other names of the city in the details.
  mutating func take(_ id: UInt64, _ reply: CityGet.Reply) {
    if otherNames.claim(id) { otherNames.fill(reply.city.alternates ?? []) }
  }

  /// Whether the screen shows a clock, which each minute changes.
  var showsClock: Bool { facts.key != nil && facts.value?.local != nil }

  /// A minute has passed: the time is requested again.
  mutating func minutePassed() { if showsClock { facts.outdated() } }
}
