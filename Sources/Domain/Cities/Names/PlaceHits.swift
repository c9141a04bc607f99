import Geodesy

/// The way in which a city was found.
public enum PlaceHitKind: String, Sendable {
  /// By the name in its title.
  case name
  /// By an alternate name.
  case alternate
  /// By a code.
  case code
  /// As one of the largest cities of the country or region that the query names.
  case area
  /// By a name with typos.
  case typo
}

/// The best cities for a query so far, best first, without duplicates.
///
/// Reused between queries: no allocation once it has grown.
public struct PlaceHits {
  /// A city found by a query.
  public struct Hit: Sendable {
    /// Its rank.
    public let rank: Int
    /// The entry of its name, unless the query names an area.
    let entry: Int
    /// The score, minus the penalty for the distance.
    fileprivate(set) var score: Int
    /// Whether the name is the title's.
    let isTitle: Bool
    /// Whether the whole name is in the query, not only its start.
    let isWhole: Bool
    /// Whether no areas follow the name.
    let isAlone: Bool
    /// The number of bytes of the query that form the name; 0 if the query names an area.
    let nameBytes: Int
    /// The number of typos.
    let edits: Int
    /// Whether the query names the city's area instead of the city.
    var isByArea: Bool { nameBytes == 0 }
    /// The distance, which lowers the score and orders cities with equal scores; 0 unless requested.
    fileprivate(set) var metres: UInt32 = 0

    init(rank: Int, entry: Int, score: Int, isTitle: Bool, isWhole: Bool, isAlone: Bool, nameBytes: Int, edits: Int) {
      (self.rank, self.entry, self.score, self.isTitle) = (rank, entry, score, isTitle)
      (self.isWhole, self.isAlone, self.nameBytes, self.edits) = (isWhole, isAlone, nameBytes, edits)
    }

    /// One of the cities of the area that the query names.
    init(areaCity rank: Int, score: Int) {
      self.init(
        rank: rank, entry: 0, score: score, isTitle: true, isWhole: true, isAlone: true, nameBytes: 0, edits: 0)
    }

    /// Whether it is preferred to `other`, another name of the same city: by score, then the title, then the name of
    /// more words, then the first in order, then as a whole name.
    fileprivate func isShownRather(than other: Self) -> Bool {
      if score != other.score { return score > other.score }
      if isTitle != other.isTitle { return isTitle }
      if nameBytes != other.nameBytes { return nameBytes > other.nameBytes }
      return entry != other.entry ? entry < other.entry : isWhole && !other.isWhole
    }
  }

  private var hits: [Hit] = []
  private var limit = 0
  private var origin: GeoPoint?

  /// The number of hits, at most the limit.
  public var count: Int { hits.count }
  /// The hit at an index, best first.
  public subscript(index: Int) -> Hit { hits[index] }

  /// Whether nothing is found.
  var isEmpty: Bool { hits.isEmpty }
  /// Lower scores do not qualify any more.
  private(set) var leastScore = Int.min
  /// Whether nearer cities are preferred.
  var isByDistance: Bool { origin != nil }

  mutating func begin(limit: Int, near origin: GeoPoint?, least: Int = .min) {
    hits.removeAll(keepingCapacity: true)
    (self.limit, self.origin) = (limit, origin)
    leastScore = limit > 0 ? least : .max
  }

  /// Adds a city if it is among the best; for a city that is already there, the better name is kept.
  ///
  /// Distance only lowers a score, so the score without it can already exclude a city.
  mutating func offer(_ offered: Hit, _ index: CityIndex) {
    guard offered.score >= leastScore, offered.rank < index.count else { return }
    var hit = offered
    if let origin {
      hit.metres = origin.metres(to: index.point(at: hit.rank))
      hit.score -= NameScore.distance(hit.metres)
      guard hit.score >= leastScore else { return }
    }
    if let known = hits.firstIndex(where: { $0.rank == hit.rank }) {
      guard hit.isShownRather(than: hits[known]) else { return }
      hits.remove(at: known)
    } else if hits.count == limit {
      guard let last = hits.last, isBetter(hit, last, index) else { return }
      hits.removeLast()
    }
    var place = hits.count
    while place > 0, isBetter(hit, hits[place - 1], index) { place -= 1 }
    // Hits arrive in descending order, so most are appended.
    if place == hits.count { hits.append(hit) } else { hits.insert(hit, at: place) }
    if hits.count == limit, let last = hits.last { leastScore = last.score }
  }

  /// Adds a city before all others; the last one leaves if there are too many.
  mutating func insertFirst(_ hit: Hit) {
    hits.removeAll { $0.rank == hit.rank }
    if hits.count == limit { hits.removeLast() }
    hits.insert(hit, at: 0)
  }

  /// Orders by score, then distance, then population, then key.
  @inline(__always)
  private func isBetter(_ one: Hit, _ other: Hit, _ index: CityIndex) -> Bool {
    if one.score != other.score { return one.score > other.score }
    if one.metres != other.metres { return one.metres < other.metres }
    let (population, others) = (index.populations[one.rank], index.populations[other.rank])
    return population != others ? population > others : one.rank < other.rank
  }
}
