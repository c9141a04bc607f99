import Geodesy

@testable import Cities

extension PlainPlaces {
  /// What a finished text means.
  struct Meaning: Equatable {
    var id: UInt64?
    var certainty = NameCertainty.none
    var isArea = false
  }

  /// Cells of a column without a value.
  private static let missing = [
    "nan", "NaN", "NaT", "None", "NULL", "null", "N/A", "n/a", "#N/A", "<NA>", "\\N", "-",
  ]

  /// The city or area that a finished text means: the best of the cities that are called so, else an area, else the
  /// first that is found.
  func match(_ question: Question) -> Meaning {
    let isWhole = question.country == nil && question.region == nil
    if isWhole, Self.missing.contains(question.query) { return Meaning() }
    let words = words(question)
    let called = namesakes(question)
    let named = words.isEmpty ? [] : namedAreas(words, question)
    guard let best = called.first else { return named.isEmpty ? guess(question) : Meaning(isArea: true) }
    let areas = meantAreas(words, called, best, question)
    if !areas.isEmpty {
      // A region elsewhere is no more probable than a town of that title.
      let isTown = best.name.by == .name && cities[best.name.city].population ?? 0 >= 5_000
      let isShared = isTown && !areas.contains(where: Self.isCountry)
      return isShared ? Meaning(id: cities[best.name.city].id, certainty: .likely) : Meaning(isArea: true)
    }
    if let other = largerNamesake(of: best, words, question) {
      return Meaning(id: cities[other.name.city].id, certainty: .guess)
    }
    let isSure =
      isClear(best, called) && !isDoubtful(best, named) && !isOutweighed(best, words, question)
      && !mayLackKind(best, words, question)
    return Meaning(id: cities[best.name.city].id, certainty: isSure ? .sure : .likely)
  }

  /// The cities that are called like the whole text, with or without areas after the name, best first; a city may come
  /// twice.
  func namesakes(_ question: Question) -> [Hit] {
    if question.query.wholeMatch(of: /\ *[-+−][\d ,.]*\d[\d ,.]*/) != nil { return [] }
    let words = words(question)
    let called = hits(words, question, .asTyped).filter { $0.name.key == Self.key(words[..<$0.words]) }
    return ordered(called, question)
  }

  /// The first that is found by a name that goes on, or that is written otherwise.
  private func guess(_ question: Question) -> Meaning {
    guard question.query.wholeMatch(of: /\ *[-+−][\d ,.]*\d[\d ,.]*/) == nil else { return Meaning() }
    var question = question
    (question.isFinished, question.limit) = (true, 1)
    // Digits alone are rather an id.
    guard !words(question).allSatisfy(Self.isNumber), let first = find(question).first else { return Meaning() }
    return first.by == .area ? Meaning(isArea: true) : Meaning(id: first.id, certainty: .guess)
  }

  /// The countries whose people write other letters than Latin ones, or both.
  private static let notLatin = Set(
    """
    AE AF AM BA BD BG BH BT BY CN CY DZ EG EH ER ET GE GR HK IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK LY MA MD ME MK
    MM MN MO MR MV NP OM PK PS QA RS RU SA SD SG SY TH TJ TM TN TW UA UZ YE
    """.split { $0 == " " || $0 == "\n" }.map(String.init))

  /// The largest city of the same title that is larger, if the best one has no Latin name where people write those.
  private func largerNamesake(of best: Hit, _ words: [[UInt8]], _ question: Question) -> Hit? {
    let (city, isOwn) = (best.name.city, best.name.by == .name)
    guard !isOwn, (words[0].first ?? 0) >= 0xCD, !Self.notLatin.contains(cities[city].country),
      let title = names.first(where: { $0.city == city && $0.by == .name })?.key
    else { return nil }
    let asked = title.split(separator: UInt8(ascii: " ")).map(Array.init)
    guard best.words <= asked.count else { return nil }
    let larger = hits(asked + words[best.words...], question, .asTyped).filter { hit in
      hit.name.by == .name && hit.name.key == title && hit.words == asked.count
        && cities[hit.name.city].population ?? 0 > cities[city].population ?? 0
    }
    return ordered(larger, question).first
  }

  /// Whether the best city is far enough before every other one.
  private func isClear(_ best: Hit, _ called: [Hit]) -> Bool {
    let others = called.filter { $0.name.city != best.name.city }
    if best.name.isUnused, cities[best.name.city].population ?? 0 < 15_000 { return false }
    return others.allSatisfy { other in
      // The code of a region means one of its cities, unless another city is much larger.
      let ofRegion = other.hasUsualCode && !best.hasUsualCode ? 200 : 0
      return best.score >= other.score + Self.distance(of: best.name, to: other.name) + ofRegion
    }
  }

  /// The points by which a city must be before another one, by what its name and the other's are.
  private static func distance(of name: Name, to other: Name) -> Int {
    if name.by == .name { return other.isUnused ? 150 : 50 }
    if other.by == .name { return 200 }
    guard other.isUnused else { return 100 }
    return name.isUnused ? 150 : 400
  }

  /// Whether an area of that name may be meant: the city lies elsewhere, and is smaller than the largest of the
  /// country, or than a million.
  private func isDoubtful(_ best: Hit, _ named: Set<String>) -> Bool {
    let people = cities[best.name.city].population ?? 0
    guard best.name.by != .code, !named.isEmpty, !isIn(best.name.city, named) else { return false }
    guard let largest = largestPopulation(ofCountries: named) else { return people < 1_000_000 }
    return best.name.by != .name || people < largest
  }

  /// Whether the last word of the name, in small letters, may be the kind of place of another city.
  private func mayLackKind(_ best: Hit, _ words: [[UInt8]], _ question: Question) -> Bool {
    guard question.query.prefixMatch(of: /[A-Z](?s:.*)\ [a-z]/) != nil, best.words > 1,
      QueryForms.bytesWithoutKind(best.name.key[...]) != nil
    else { return false }
    let count = best.words - 1
    return hits(Array(words[..<count] + words[best.words...]), question, .asTyped).contains { other in
      other.words == count && other.name.by == .name && other.name.key == Self.key(words[..<count])
        && other.name.city != best.name.city && best.score - other.score < 200
    }
  }

  /// Whether a name of another city goes on after the whole text, and weighs as much.
  private func isOutweighed(_ best: Hit, _ words: [[UInt8]], _ question: Question) -> Bool {
    let key = Self.key(words[...])
    return names.contains { name in
      guard name.city != best.name.city, name.by != .code, name.key.starts(with: key) else { return false }
      let score = Self.weight(cities[name.city]) - (name.by == .name ? 0 : 200)
      return score >= best.score && isWanted(name.city, question)
    }
  }
}
