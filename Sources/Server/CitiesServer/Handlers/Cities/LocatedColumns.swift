import Cities
import CitiesProtocol
import Countries

/// The columns of a reply of `city.locate`, filled in order.
struct LocatedColumns {
  /// The number of positions filled so far.
  private(set) var count = 0
  /// The ids of the cities; 0 for none.
  private(set) var ids: [UInt64]
  /// The distances of the cities; `CityLocate.nothing` for none.
  private(set) var metres: [UInt32]
  /// 1 if the country of the position is certain, else 0.
  private(set) var certain: [UInt8] = []
  /// The codes of the countries, one line per position.
  private(set) var countries: [UInt8] = []
  /// The distinct cities and the place of each position's city among them, if requested.
  private(set) var dictionary: RankDictionary?

  /// Reserves room for `capacity` positions.
  init(capacity: Int, hasRows: Bool) {
    ids = [UInt64](repeating: 0, count: capacity)
    metres = [UInt32](repeating: CityLocate.nothing, count: capacity)
    dictionary = hasRows ? RankDictionary(capacity: capacity) : nil
    certain.reserveCapacity(capacity)
    countries.reserveCapacity(3 * capacity)
  }

  /// Fills the next position, which must be within the capacity, with the city at `rank`.
  @inline(__always)
  mutating func add(_ rank: Int, _ distance: UInt32, _ index: CityIndex) {
    ids[count] = index.id(at: rank)
    metres[count] = distance
    dictionary?.add(rank)
    count &+= 1
  }

  /// Fills the next position with its country.
  @inline(__always)
  mutating func add(_ country: PointCountry) {
    certain.append(country.isCertain ? 1 : 0)
    if country.letters != 0 {
      countries.append(UInt8(country.letters >> 8))
      countries.append(UInt8(truncatingIfNeeded: country.letters))
    }
    countries.append(UInt8(ascii: "\n"))
  }

  /// Leaves the next position without a city.
  mutating func addNothing() {
    dictionary?.add(nil)
    count &+= 1
  }
}

/// The distinct ranks in a reply, in order of first occurrence, and for each position the place of its rank among them.
///
/// A hash table without removals. `Set` uses a slower hash function and allocates as it grows, which took as long as
/// finding the city.
struct RankDictionary {
  /// Odd and random per process, so that nobody can choose positions that all collide.
  private static let multiplier = UInt64.random(in: 1...UInt64.max) | 1

  /// The distinct ranks.
  private(set) var ranks: [UInt32] = []
  /// The place of each position's rank, or `CityLocate.nothing`.
  private(set) var places: [UInt32] = []
  /// A rank plus 1 in the upper 32 bits, its place in the lower; 0 for a free slot.
  ///
  /// At most half of the slots are used.
  private var slots: [UInt64]
  private let shift: UInt64

  /// Reserves room for `capacity` positions.
  init(capacity: Int) {
    let bits = 1 + Int.bitWidth - max(1, capacity).leadingZeroBitCount
    slots = [UInt64](repeating: 0, count: 1 << bits)
    shift = UInt64(UInt64.bitWidth - bits)
    places.reserveCapacity(capacity)
  }

  /// Adds the rank of the next position; `nil` if it has none.
  ///
  /// - Complexity: O(1) on average.
  mutating func add(_ rank: Int?) {
    guard let rank else { return places.append(CityLocate.nothing) }
    let key = UInt64(truncatingIfNeeded: rank &+ 1)
    var slot = Int(truncatingIfNeeded: (key &* Self.multiplier) >> shift)
    while slots[slot] != 0, slots[slot] >> 32 != key { slot = (slot &+ 1) & (slots.count &- 1) }
    if slots[slot] == 0 {
      slots[slot] = key << 32 | UInt64(ranks.count)
      ranks.append(UInt32(truncatingIfNeeded: rank))
    }
    places.append(UInt32(truncatingIfNeeded: slots[slot]))
  }
}
