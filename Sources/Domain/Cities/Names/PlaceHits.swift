import Base
import Geodesy

/// How a city was found.
public enum PlaceHitKind: String, Sendable {
  /// By the name in its title.
  case name
  /// By another name.
  case alternate
  /// By a code.
  case code
  /// As one of the largest cities of the country or region that the query names.
  case area
  /// By a name that differs by typing errors.
  case typo
}

/// The best cities for a query so far, best first, each once.
///
/// Used again from question to question: no allocation once it has grown.
public struct PlaceHits {
  /// A city that was found.
  public struct Hit: Sendable {
    /// Its rank.
    public let rank: Int
    /// Where its name stands, if the query has one.
    let entry: Int
    /// Less what the distance costs.
    fileprivate(set) var score: Int
    /// Whether it is the title's name.
    let isTitle: Bool
    /// Bytes of the query that are the name; 0 if the query names an area.
    let nameBytes: Int
    /// Typing errors.
    let edits: Int
    /// Whether the query names the area of the city instead of the city.
    var isByArea: Bool { nameBytes == 0 }
    /// The distance, which lowers the score and orders cities with equal scores; 0 unless requested.
    fileprivate(set) var metres: UInt32 = 0

    /// Whether it is shown rather than `other`, another name of the same city: the better one, of equals the title's,
    /// then the one of more words, then the first in order.
    fileprivate func isShownRather(than other: Self) -> Bool {
      if score != other.score { return score > other.score }
      if isTitle != other.isTitle { return isTitle }
      return nameBytes != other.nameBytes ? nameBytes > other.nameBytes : entry < other.entry
    }
  }

  private var hits: [Hit] = []
  private var limit = 0
  private var origin: GeoPoint?

  /// Hits, at most the limit.
  public var count: Int { hits.count }
  /// The hit at a place, best first.
  public subscript(index: Int) -> Hit { hits[index] }

  /// Whether nothing is found.
  var isEmpty: Bool { hits.isEmpty }
  /// Scores below this are of no use any more.
  private(set) var leastScore = Int.min
  /// Whether the nearer ones are preferred.
  var isByDistance: Bool { origin != nil }

  mutating func begin(limit: Int, near origin: GeoPoint?, least: Int = .min) {
    hits.removeAll(keepingCapacity: true)
    (self.limit, self.origin) = (limit, origin)
    leastScore = limit > 0 ? least : .max
  }

  /// Takes a city if it is among the best; of a city that comes again the better name stays.
  ///
  /// Distance only lowers a score, so that the score without it can exclude a city.
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
    // Lists descend, so that most hits come last.
    if place == hits.count { hits.append(hit) } else { hits.insert(hit, at: place) }
    if hits.count == limit, let last = hits.last { leastScore = last.score }
  }

  /// By score, then distance, then inhabitants, then key.
  @inline(__always)
  private func isBetter(_ one: Hit, _ other: Hit, _ index: CityIndex) -> Bool {
    if one.score != other.score { return one.score > other.score }
    if one.metres != other.metres { return one.metres < other.metres }
    let (population, others) = (index.populations[one.rank], index.populations[other.rank])
    return population != others ? population > others : one.rank < other.rank
  }
}
