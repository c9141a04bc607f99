import Testing

@testable import FrameService

@Suite struct SlotHeapTests {
  /// The plain form of the heap: sorted after every insertion.
  private struct SortedSlots {
    var entries: [(slot: Int, value: Int64)] = []

    mutating func insert(_ slot: Int, _ value: Int64) {
      let place = entries.firstIndex { $0.value > value } ?? entries.endIndex
      entries.insert((slot, value), at: place)
    }
    mutating func remove(_ slot: Int) { entries.removeAll { $0.slot == slot } }
    mutating func removeFirst() -> (slot: Int, value: Int64)? { entries.isEmpty ? nil : entries.removeFirst() }
  }

  @Test(arguments: 0..<8) func `any order of insertions and removals leaves as from a sorted array`(size: Int) {
    var random = SeededRandom(seed: UInt64(size + 1))
    for _ in 0..<200 {
      var heap = SlotHeap()
      var reference = SortedSlots()
      for _ in 0..<(1 << size) * 2 {
        let slot = random.below(1 << size)
        if heap.contains(slot) {
          heap.remove(slot)
          reference.remove(slot)
        } else {
          // Few values, so that many are equal.
          let value = Int64(random.below(5)) - 2
          heap.insert(slot, value)
          reference.insert(slot, value)
        }
        #expect(heap.count == reference.entries.count)
        if random.below(5) == 0 {
          let (found, expected) = (heap.removeFirst(), reference.removeFirst())
          #expect(found?.slot == expected?.slot && found?.value == expected?.value)
        }
      }
      while let expected = reference.removeFirst() {
        let found = heap.removeFirst()
        #expect(found?.slot == expected.slot && found?.value == expected.value)
      }
      #expect(heap.isEmpty && heap.first == nil)
    }
  }

  @Test func `a slot that is not there is removed without effect`() {
    var heap = SlotHeap()
    heap.remove(3)
    heap.insert(3, 1)
    heap.remove(2)
    heap.remove(4)
    #expect(heap.count == 1 && heap.first?.slot == 3)
    heap.remove(3)
    heap.remove(3)
    #expect(heap.isEmpty && !heap.contains(3))
  }
}
