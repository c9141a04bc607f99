import Cities
import Text

/// Made-up cities with their index and a plain search beside it.
struct World {
  let built: BuiltIndex
  let plain: PlainPlaces

  init(_ cities: [City]) throws {
    built = try BuiltIndex(sections: BuiltIndex.sections(cities, MadeUpPlaces.areas))
    plain = PlainPlaces(PlainScan(cities).entries.map(\.city), MadeUpPlaces.areas)
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
    if let country = question.country {
      try folder.folded(country, .words).withUnsafeBytes { try conditions.require(country: $0, built.index) }
    }
    if let region = question.region {
      try folder.folded(region, .words).withUnsafeBytes { try conditions.require(region: $0, built.index) }
    }
    return conditions
  }
}
