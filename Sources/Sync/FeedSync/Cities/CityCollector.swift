import Cities
import Text

/// Takes the records of a list one by one, keeps the good ones and notes the rest.
///
/// It belongs to the one call that reads a list; a decoder hands it down in its `userInfo`, which is why it must be a
/// `Sendable` class.
final class CityCollector: @unchecked Sendable {
  /// Records between two reports of progress.
  private static let reportInterval = 4096

  private(set) var builder = CityIndexBuilder()
  private(set) var notes: ImportNotes
  /// Finds the places of what is not UTF-8 in the list.
  var invalidText: InvalidText?
  private var position = 0
  private let folder = Folder()
  private let progress: (Double) -> Void

  /// `progress` is told the part of the records that is done.
  init(source: String, progress: @escaping (Double) -> Void) {
    notes = ImportNotes(source: source)
    self.progress = progress
  }

  /// Takes the next of `count` records.
  func take(_ record: CityRecord, of count: Int) {
    position += 1
    notes.countRecord()
    if position % Self.reportInterval == 0 { progress(Double(position) / Double(max(count, position))) }
    switch record {
    case .bad(let problem): notes.skip(position, invalidText?.clause(problem, at: position) ?? problem.description)
    case .city(let city): add(city)
    }
  }

  /// Gives the builder away, so that building frees the cities as it goes.
  func takeBuilder() -> CityIndexBuilder {
    defer { builder = CityIndexBuilder() }
    return builder
  }

  private func add(_ city: City) {
    var city = city
    // What is too long is refused before it is worked on: composing 10 MB to refuse it would be work for nothing.
    if let problem = CityRule.problem(with: city) { return notes.skip(position, "\(problem)") }
    city.name = folder.composed(city.name)
    city.country = folder.composed(city.country)
    do throws(CityProblem) {
      switch try builder.add(city) {
      case .kept: break
      case .repeated:
        notes.repeat(position, "the city with id \(city.id) stands in an earlier record, all fields equal")
      case .replaced:
        let other = "an earlier record of the city with id \(city.id) has another population"
        notes.replace(position, "\(other); the larger stands")
      }
    } catch {
      notes.skip(position, "\(error)")
    }
  }
}
