import Testing
import Text

@testable import Cities

/// Made-up cities with their index and a plain search beside it.
struct World {
  let built: BuiltIndex
  let plain: PlainPlaces

  init(_ cities: [City], _ areas: AreaNames = MadeUpPlaces.areas) throws {
    built = try BuiltIndex(sections: BuiltIndex.sections(cities, areas))
    plain = PlainPlaces(PlainScan(cities).entries.map(\.city), areas)
  }

  /// Every start of every name, or of every name at a multiple of `step`.
  func startsOfNames(every step: Int = 1) -> Set<String> {
    var starts: Set<String> = []
    for index in stride(from: 0, to: plain.names.count, by: step) {
      let letters = String(decoding: plain.names[index].key, as: UTF8.self).unicodeScalars
      for count in 1..<letters.count + 1 { starts.insert(String(String.UnicodeScalarView(letters.prefix(count)))) }
    }
    return starts
  }

  /// What a question asks of the index beside its words, for the best `limit` cities.
  ///
  /// - Throws: for an area that the list does not have.
  func conditions(of question: PlainPlaces.Question, limit: Int) throws -> PlaceConditions {
    let folder = CaseFolder()
    var conditions = PlaceConditions(limit: limit, near: question.near, allowsTypos: question.typos)
    conditions.leastPeople = question.leastPeople
    if let country = question.country {
      try folder.folded(country, .words).withUnsafeBytes { try conditions.require(country: $0, built.index) }
    }
    if let region = question.region {
      try folder.folded(region, .words).withUnsafeBytes { try conditions.require(region: $0, built.index) }
    }
    return conditions
  }
}

extension World {
  /// Expects a search to find what a plain search finds.
  func check(_ question: PlainPlaces.Question) {
    do {
      let (found, isComplete, _) = try find(question, steps: .max)
      #expect(found == plain.find(question), "\(question)")
      #expect(isComplete)
    } catch {
      // Small lists may lack the area that a question names.
      #expect(plain.find(question).isEmpty, "\(question)")
    }
  }

  /// The rows of a search that looks at `steps` names at a time, and what it looked for where that is a guess.
  func find(_ question: PlainPlaces.Question, steps: Int) throws -> (
    found: [PlainPlaces.Found], isComplete: Bool, searched: String
  ) {
    var conditions = try conditions(of: question, limit: question.limit)
    (conditions.isFinished, conditions.isExplained) = (question.isFinished, true)
    let folder = CaseFolder()
    let key = folder.folded(question.query, .words)
    conditions.endsAfterWord = folder.endsAfterWord
    conditions.codes = CodeUse(question.query.utf8)
    var search = NameSearch()
    key.withUnsafeBytes { key in
      Array(question.query.utf8).withUnsafeBytes { search.begin(key, typed: $0, conditions, built.index) }
    }
    while !search.advance(steps: steps, built.index) {}
    let found = (0..<search.hits.count).map { place in
      let hit = search.hits[place]
      let rest = search.parts(of: hit, built.index).first { $0.part == .unusualCode }?.points
      if let rest, rest != -NameScore.unusualCode { Issue.record("\(question): \(rest) points have no reason") }
      return PlainPlaces.Found(
        id: built.index.id(at: hit.rank), by: built.index.kind(of: hit),
        matched: String(decoding: built.index.spelling(of: hit), as: UTF8.self))
    }
    if search.hits.count > 0, search.attempt != .area, search.made.last?.attempt != search.attempt {
      Issue.record("\(question): the last attempt is not listed")
    }
    return (found, search.isComplete, String(decoding: search.searched, as: UTF8.self))
  }
}
