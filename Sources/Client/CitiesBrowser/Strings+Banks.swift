internal import CitiesCommands
internal import CitiesProtocol

/// Texts about banks and the user's position.
extension Strings {
  static let noRegion = "(no region)"
  static let noLocations = "No matching location"
  static let hours = "Hours"

  /// The kind and number of the listed rows.
  static func scope(_ screen: BankScreen) -> String {
    switch screen.scope {
    case .headings where screen.list == .headings: locations(Int(clamping: screen.regions.value?.total ?? 0))
    case .headings, .everything: locations(screen.rows.total)
    case .country(_, let name): "\(grouped(screen.rows.total)) in \(name)"
    case .region(let region, _, let name): "\(grouped(screen.rows.total)) in \(region ?? "\(name) \(noRegion)")"
    case .nearest: "\(grouped(screen.count)) nearest to you"
    }
  }
  private static func locations(_ count: Int) -> String { counted(count, "location", "locations") }

  static func short(_ open: OpenAnswer) -> String {
    switch open {
    case .yes: "open  "
    case .no: "closed"
    case .unknown: "  ?   "
    }
  }

  private static func sentence(_ open: OpenAnswer) -> String {
    switch open {
    case .yes: "Open now"
    case .no: "Closed now"
    case .unknown: "Opening hours unknown"
    }
  }

  private static func name(of location: BankRow) -> String {
    switch location.kind {
    case .branch: "Branch"
    case .atm: "ATM"
    case .bna: "Cash machine with deposits (BNA)"
    default: "Unknown kind" + (location.code.map { " (\($0))" } ?? "")
    }
  }

  /// The details of a location, in lines, the most important first.
  static func details(of entry: BankEntry) -> [(text: String, role: Style.Role)] {
    let location = entry.location
    var lines: [(text: String, role: Style.Role)] = [(location.title, .heading)]
    if location.name != nil { lines.append((location.address, .plain)) }
    lines.append((sentence(entry.open) + (location.hours == nil ? "" : " (Enter for hours)"), .strong))
    if let holiday = entry.holiday { lines.append(("Public holiday: \(holiday)", .plain)) }
    lines.append((name(of: location), .plain))
    lines.append(([location.region, location.countryName].compactMap { $0 }.joined(separator: ", "), .plain))
    if let distance = entry.distance { lines.append((ValueForm.distance(distance), .plain)) }
    lines += (location.availability ?? "").split(separator: "\n").map { (String($0), .plain) }
    if location.kind == .branch {
      lines += (location.info ?? "").split(separator: "\n").map { (String($0), .plain) }
      if location.noCash { lines.append(("No cash service", .plain)) }
      if location.coinStation { lines.append(("Coin machine", .plain)) }
    }
    lines += [location.phone, location.email, location.website].compactMap { $0 }.map { ($0, .plain) }
    let suspicious = location.suspicious == true ? " (suspicious)" : ""
    lines.append((Degrees.exactText(lat: location.lat, lon: location.lon) + suspicious, .faint))
    lines.append((location.id, .faint))
    return lines
  }

  /// The opening hours of a location, a line per weekday from Monday; the time zone comes last.
  static func week(of location: BankRow) -> [String] {
    WeekText.lines(of: location) { "\(time($0))-\(time($1))" }.map { $0 + ["", "Local time (\(location.zone))"] }
      ?? [location.availability ?? "Not known"]
  }

  private static func time(_ minute: Int) -> String {
    WeekText.clock(minute >= 1_500 ? minute - 1_440 : minute)
  }

  // MARK: - Where the user is

  static let whereAreYou = "Where are you?"
  static let city = "City:"
  static func suggestion(_ name: String?) -> String {
    name == nil ? "Type the name of your city." : "Suggested from your time zone:"
  }
  static func keepQuestion(_ city: CityRow) -> [String] {
    [city.title, "Save this position?", "", "y  save it, also for 'citiesctl near'", "n  use it for this session only"]
  }
  static func notKept(_ reason: String) -> String { "Could not save the position: \(reason)" }
}
