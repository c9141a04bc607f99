/// Finds cities by id during the import, in 8 to 16 bytes per city: a third of a dictionary's memory.
///
/// The ids themselves stay in a column of the caller. The table uses open addressing, is at most half full, and hashes
/// by multiplication with a random number (M. Dietzfelbinger et al., "A reliable randomized algorithm for the
/// closest-pair problem", J. Algorithms 25, 1997), so that no input can be crafted to be slow.
struct CityIDTable: Sendable {
  private static let smallest = 1 << 10

  /// A city's index + 1, or 0.
  private var slots: [UInt32] = []
  private var count = 0
  private let factor = UInt64.random(in: .min ... .max) | 1

  /// The index of the city with `id`; `ids` has the ids by index.
  ///
  /// - Complexity: O(1) on average.
  func index(of id: UInt64, among ids: [UInt64]) -> Int? {
    guard !slots.isEmpty else { return nil }
    let found = slots[slot(of: id, ids)]
    return found == 0 ? nil : Int(found - 1)
  }

  /// Records that the city at `index`, which `ids` may not contain yet, has `id`; `false` if another city already has
  /// it.
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

  /// The slot of `id`, or the free slot where it belongs.
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
