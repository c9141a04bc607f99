import CBOR
import Cities
import CitiesProtocol
import FrameService

/// Finds the city of one name after the other, then writes the rows of these cities.
final class CityMatchWork: SlicedWork {
  /// Names of the index that are looked at in one step of a slice.
  private static let steps = 64
  /// Bytes of a name that may take as long as a step of a slice: those of several words are read in many ways.
  private static let bytesPerStep = 16

  private var names: NarrowedNames
  private let answer: CityAnswer
  private var matcher = NameMatcher()
  /// Whether the matcher has a name whose city is not known yet, and how many steps of a slice each turn with it counts
  /// as.
  private var (isMatching, weight) = (false, 1)
  private var ids: [UInt64] = []
  private var classes: [UInt8] = []
  private var isComplete = true
  /// The distinct cities, if their rows are wanted, and these.
  private var dictionary: RankDictionary?
  private var rows: DistinctRows?

  /// The cities of `names`; the reply has their rows with `parts`, unless that is `nil`.
  init(_ names: NarrowedNames, rows parts: CityParts?, _ answer: CityAnswer) {
    (self.names, self.answer) = (names, answer)
    dictionary = parts.map { _ in RankDictionary(capacity: names.count) }
    if let parts { rows = DistinctRows(parts, answer.generation) }
    ids.reserveCapacity(names.count)
    classes.reserveCapacity(names.count)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    let index = answer.index
    while ids.count < names.count {
      if !isMatching { begin(index) }
      if isMatching, matcher.advance(steps: Self.steps, index) { take(matcher.match, index) }
      if slice.isOver(after: weight) { return false }
    }
    guard let dictionary else { return true }
    return try rows?.write(dictionary.ranks, &slice) ?? true
  }

  /// Starts with the next name.
  private func begin(_ index: CityIndex) {
    names.next(index) { name, conditions in
      weight = 1 + name.count / Self.bytesPerStep
      guard let conditions else { return }
      matcher.begin(name, conditions, index)
      isMatching = true
    }
    if !isMatching { add(nil, .none, index) }
  }

  private func take(_ match: NameMatcher.Match, _ index: CityIndex) {
    isMatching = false
    isComplete = isComplete && matcher.isComplete
    add(match.rank, match.certainty, index)
  }

  private func add(_ rank: Int?, _ certainty: NameCertainty, _ index: CityIndex) {
    ids.append(rank.map(index.id(at:)) ?? 0)
    classes.append(certainty.rawValue)
    dictionary?.add(rank)
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    reply.writeMap(count: answer.pairs(besides: dictionary == nil ? 3 : 5))
    reply.writePair("ids", ids)
    if dictionary != nil { rows?.append(to: &reply) }
    try answer.writeAsOf(into: &reply)
    if let dictionary { reply.writePair("index", dictionary.places) }
    reply.writePair("classes", classes)
    try answer.writeSources(into: &reply)
    reply.writePair("complete", isComplete)
    answer.writeGeneration(into: &reply)
  }
}
