/// The lines of the scrolling list of cities: consecutive sections, some with a heading.
///
/// It has only the numbers of lines, because there may be hundreds of thousands of cities.
struct CityLines: Hashable, Sendable {
  /// A section, by the origin of its cities.
  enum Section: Hashable, Sendable {
    /// The latest visited cities, while the filter is empty.
    case visited
    /// The largest cities around the user, while the filter is empty.
    case around
    /// The largest cities, while the filter is empty.
    case largest
    /// The best matches of the filter, by any name, by an area or by a position.
    case best
    /// The titles that start with the filter.
    case titles
  }

  /// A heading, or the line of an empty list.
  enum Heading: Hashable, Sendable {
    case visited, largest, around, all, titles, nothing, alsoKnown, similar, matches, area, nearest
  }

  enum Line: Hashable, Sendable {
    case heading(Heading)
    case city(Section, Int)
  }

  private struct Part: Hashable, Sendable {
    var heading: Heading?
    var section: Section
    var count: Int

    var lines: Int { count + (heading == nil ? 0 : 1) }
  }

  private var parts: [Part] = []

  /// Appends a section; one without cities only if its heading is `nothing`.
  mutating func add(_ section: Section, count: Int, _ heading: Heading? = nil) {
    guard count > 0 || heading == .nothing else { return }
    parts.append(Part(heading: heading, section: section, count: count))
  }

  /// The number of lines.
  var count: Int { parts.reduce(0) { $0 + $1.lines } }

  /// The line at an index; `nil` outside.
  subscript(index: Int) -> Line? {
    guard index >= 0 else { return nil }
    var rest = index
    for part in parts {
      guard rest >= part.lines else {
        guard let heading = part.heading else { return .city(part.section, rest) }
        return rest == 0 ? .heading(heading) : .city(part.section, rest - 1)
      }
      rest -= part.lines
    }
    return nil
  }

  /// The lines of a section's cities; `nil` if the list does not have it.
  private func cities(of section: Section) -> Range<Int>? {
    var start = 0
    for part in parts {
      let first = start + (part.heading == nil ? 0 : 1)
      if part.section == section { return first..<first + part.count }
      start += part.lines
    }
    return nil
  }

  /// The places in `section` of the cities on `lines`.
  func places(of section: Section, in lines: Range<Int>) -> Range<Int> {
    guard let cities = cities(of: section) else { return 0..<0 }
    let shown = lines.clamped(to: cities)
    return shown.isEmpty ? 0..<0 : shown.lowerBound - cities.lowerBound..<shown.upperBound - cities.lowerBound
  }

  /// The city line nearest to `index`: the next one in the direction, otherwise the previous one; `index` if there is
  /// none.
  ///
  /// Two lines without a city may be adjacent: the line "no titles", and the heading of the next section.
  func city(from index: Int, towards step: Int) -> Int {
    for offset in [0, step, 2 * step, -step, -2 * step] {
      if case .city? = self[index + offset] { return index + offset }
    }
    return index
  }
}
