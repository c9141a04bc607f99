package import CitiesProtocol

/// The other names of a city in the order in which they are shown, and its codes.
package struct SortedNames {
  /// Codes of the city, such as those of its airports.
  package let codes: [String]
  /// Names as they are written, then romanizations, which lists write in lower case.
  package let names: [String]

  /// Sorts the names that a list has.
  package init(_ alternates: [String]) {
    codes = alternates.filter(Self.isCode)
    let all = alternates.filter { !Self.isCode($0) }
    names = all.filter { !Self.isRomanized($0) } + all.filter(Self.isRomanized)
  }

  private static func isRomanized(_ name: String) -> Bool { name.unicodeScalars.first?.properties.isLowercase == true }

  /// Whether a name is three capitals, such as an airport code.
  private static func isCode(_ name: String) -> Bool {
    name.utf8.count == 3 && name.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }
}

/// The local time of a place on one day.
package struct CityClock {
  private static let day: Int64 = 86_400

  /// The next clock change, in seconds since 1970-01-01T00:00:00Z, and the offset after it.
  private let change: (moment: Int64, offset: Int64)?
  private let offset: Int64
  /// Local noon.
  private let noon: Int64

  /// The local time of `row` at a moment; `nil` if the server does not know it.
  package init?(_ row: CityTime.Row, at moment: Timestamp) {
    guard let local = row.local, let now = Self.read(local, at: moment) else { return nil }
    offset = now.offset
    noon = (now.moment + offset).flooredDivision(by: Self.day).quotient * Self.day + Self.day / 2 - offset
    change = row.change.flatMap { Self.read($0.local, at: $0.at) }
  }

  /// The times of sunrise and sunset.
  package func sunshine(at place: Position) -> String {
    switch Sun.course(at: place, noon: Double(noon)) {
    case .alwaysUp: "up all day"
    case .alwaysDown: "down all day"
    case .rises(let rise, let set): "rises \(clock(rise)), sets \(clock(set))"
    }
  }

  /// `07:05`, to the nearest minute.
  private func clock(_ seconds: Double) -> String {
    let moment = Int64((seconds / 60).rounded()) * 60
    let local = moment + (change.map { moment >= $0.moment ? $0.offset : offset } ?? offset)
    return String(RFC3339.localText(local).dropFirst(11).prefix(5))
  }

  /// The moment in seconds, and the offset of the local time `local`.
  private static func read(_ local: String, at moment: Timestamp) -> (moment: Int64, offset: Int64)? {
    guard let moment = moment.secondsSince1970, let shown = try? RFC3339.parse(local + "Z") else { return nil }
    return (moment, shown - moment)
  }
}
