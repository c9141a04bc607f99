/// The lines of the one scroll of the cities: sections one below the other, some with a heading.
///
/// Only the numbers of lines are kept, not the cities, of which there may be hundreds of thousands.
struct CityLines: Hashable, Sendable {
  /// A section, by where its cities come from.
  enum Section: Hashable, Sendable {
    /// The cities that were visited last, while nothing is typed.
    case visited
    /// Cities to start from, while nothing is typed.
    case suggestions
    /// What people most likely mean by the filter.
    case best
    /// The titles that start with the filter.
    case titles
    /// Cities that are found by another name than their title, or by a similar one.
    case others
  }

  /// A heading, or the line in place of cities where there are none.
  enum Heading: Hashable, Sendable {
    case visited, largest, around, all, titles, nothing, alsoKnown, similar
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

  /// Adds a section below the others; one without cities only if its heading is `nothing`.
  mutating func add(_ section: Section, count: Int, _ heading: Heading? = nil) {
    guard count > 0 || heading == .nothing else { return }
    parts.append(Part(heading: heading, section: section, count: count))
  }

  /// How many lines there are.
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

  /// The lines of a section's cities; `nil` if it is not there.
  private func cities(of section: Section) -> Range<Int>? {
    var begin = 0
    for part in parts {
      let first = begin + (part.heading == nil ? 0 : 1)
      if part.section == section { return first..<first + part.count }
      begin += part.lines
    }
    return nil
  }

  /// The cities of `section` among `lines`, by their places in it.
  func places(of section: Section, in lines: Range<Int>) -> Range<Int> {
    guard let cities = cities(of: section) else { return 0..<0 }
    let shown = lines.clamped(to: cities)
    return shown.isEmpty ? 0..<0 : shown.lowerBound - cities.lowerBound..<shown.upperBound - cities.lowerBound
  }

  /// The line of a city; `nil` if the section has no such place.
  func line(of section: Section, _ place: Int) -> Int? {
    cities(of: section).flatMap { place < $0.count ? $0.lowerBound + place : nil }
  }

  /// The line of a city nearest to `index`: the next one in a direction, else the one before; `index` if there is none.
  ///
  /// Two lines without a city may follow each other: that there are no titles, and the heading of the next section.
  func city(from index: Int, towards step: Int) -> Int {
    for offset in [0, step, 2 * step, -step, -2 * step] {
      if case .city? = self[index + offset] { return index + offset }
    }
    return index
  }
}
