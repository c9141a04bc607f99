/// Finds cities by id while they are gathered: eight to sixteen bytes a city, where a dictionary takes three times
/// that.
///
/// The ids themselves are not kept here: the caller has them in a column. It is a table of open addresses, at most half
/// full, whose hash is a multiplication by a random number (M. Dietzfelbinger et al., "A reliable randomized algorithm
/// for the closest-pair problem", J. Algorithms 25, 1997), so that no list can be made that is slow.
struct CityIDTable: Sendable {
  private static let smallest = 1 << 10

  /// A city's index + 1, or 0.
  private var slots: [UInt32] = []
  private var count = 0
  private let factor = UInt64.random(in: .min ... .max) | 1

  /// The city with `id`, whose ids are `ids`.
  ///
  /// - Complexity: O(1) on average.
  func index(of id: UInt64, among ids: [UInt64]) -> Int? {
    guard !slots.isEmpty else { return nil }
    let found = slots[slot(of: id, ids)]
    return found == 0 ? nil : Int(found - 1)
  }

  /// Notes that the city at `index`, which `ids` may not have yet, has `id`; `false` if another one has.
  ///
  /// - Complexity: O(1) on average.
  mutating func insert(_ index: Int, id: UInt64, among ids: [UInt64]) -> Bool {
    if 2 * (count + 1) > slots.count { grow(ids) }
    let slot = slot(of: id, ids)
    guard slots[slot] == 0 else { return false }
    slots[slot] = UInt32(index + 1)
    count += 1
    return true
  }

  /// The slot with `id`, or the free one where it belongs.
  private func slot(of id: UInt64, _ ids: [UInt64]) -> Int {
    let shift = UInt64(slots.count.leadingZeroBitCount + 1)
    var slot = Int(truncatingIfNeeded: (id &* factor) >> shift)
    while slots[slot] != 0, ids[Int(slots[slot] - 1)] != id { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func grow(_ ids: [UInt64]) {
    let old = slots
    slots = [UInt32](repeating: 0, count: max(2 * old.count, Self.smallest))
    for entry in old where entry != 0 { slots[slot(of: ids[Int(entry - 1)], ids)] = entry }
  }
}
