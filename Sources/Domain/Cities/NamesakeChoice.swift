public import Geodesy

/// Chooses among the cities that a title names, a few at a time: a list may give thousands of cities one title.
///
///     var choice = NamesakeChoice(matches, .nearest(to: place))
///     while choice.step(index) { pause() }
///     let rank = choice.rank
public struct NamesakeChoice {
  /// The chosen city.
  public enum Goal: Sendable {
    /// The one nearest to a place, of equally near ones the first by key.
    case nearest(to: GeoPoint)
    /// The one with the lowest id, if all of them are one place: within ``onePlaceMetres`` of each other.
    case onePlace
  }

  /// The largest distance between candidates for one place, in whole metres.
  public static let onePlaceMetres: UInt32 = 5_000
  /// More candidates than this are never one place unless all lie within half the distance of the first, so that a file
  /// full of namesakes cannot make a question quadratic.
  static let maximumPairwise = 256
  /// Distances that one step computes: a few microseconds.
  package static let distancesPerStep = 64

  /// The cities to choose from.
  public let matches: CityMatches
  /// The rank of the chosen city, once ``step(_:)`` has returned `false`; nil if no city is the answer.
  public private(set) var rank: Int?

  private let goal: Goal
  /// Where the next match is.
  private var run = 0
  private var position = 0
  /// The best city so far, by distance and rank, or by id.
  private var best: (key: UInt64, rank: Int)?
  private var farthest: UInt32 = 0
  /// The first city's point, and those of all cities if few enough are compared in pairs.
  private var points: [GeoPoint] = []
  /// The pair that comes next, once all matches were seen.
  private var pair = (one: 0, other: 1)
  private var isFinished = false

  /// Starts a choice among `matches`.
  public init(_ matches: CityMatches, _ goal: Goal) {
    (self.matches, self.goal) = (matches, goal)
    position = matches.runs.first?.lowerBound ?? 0
    isFinished = matches.total == 0
  }

  /// Looks at the next few cities.
  ///
  /// - Returns: whether there are more to look at.
  /// - Complexity: O(1). In all O(m) for m matches, and O(m²) for at most 256 that are neither clearly near nor clearly
  ///   far.
  public mutating func step(_ index: CityIndex) -> Bool {
    guard !isFinished else { return false }
    if run < matches.runs.count { lookAtNext(index) } else { comparePairs() }
    return !isFinished
  }

  private mutating func lookAtNext(_ index: CityIndex) {
    let current = matches.runs[run]
    let end = min(position + Self.distancesPerStep, current.upperBound)
    for position in position..<end {
      take(index.rank(position, matches.order), index)
      if isFinished { return }
    }
    position = end
    guard end == current.upperBound else { return }
    run += 1
    if run < matches.runs.count { position = matches.runs[run].lowerBound } else { endPass() }
  }

  private mutating func take(_ candidate: Int, _ index: CityIndex) {
    let point = index.point(at: candidate)
    switch goal {
    case .nearest(let place):
      let metres = UInt64(place.metres(to: point))
      if best.map({ (metres, candidate) < $0 }) ?? true { best = (metres, candidate) }
    case .onePlace:
      if points.isEmpty || matches.total <= Self.maximumPairwise { points.append(point) }
      farthest = max(farthest, points[0].metres(to: point))
      let id = index.id(at: candidate)
      if best.map({ id < $0.key }) ?? true { best = (id, candidate) }
      isFinished = farthest > Self.onePlaceMetres
    }
  }

  /// All matches were seen.
  private mutating func endPass() {
    switch goal {
    case .nearest: finish(best?.rank)
    // Two within half the distance of the first are within the distance of each other.
    case .onePlace where farthest <= Self.onePlaceMetres / 2: finish(best?.rank)
    case .onePlace where matches.total > Self.maximumPairwise: finish(nil)
    case .onePlace: break
    }
  }

  private mutating func comparePairs() {
    for _ in 0..<Self.distancesPerStep {
      if pair.other >= points.count { pair = (pair.one + 1, pair.one + 2) }
      guard pair.other < points.count else { return finish(best?.rank) }
      guard points[pair.one].metres(to: points[pair.other]) <= Self.onePlaceMetres else { return finish(nil) }
      pair.other += 1
    }
  }

  private mutating func finish(_ chosen: Int?) { (rank, isFinished) = (chosen, true) }
}
