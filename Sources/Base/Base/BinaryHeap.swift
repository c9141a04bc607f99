/// A binary heap in an array (J. W. J. Williams, "Algorithm 232: Heapsort", CACM 7(6), 1964): the element at the start
/// is above all others.
extension Array {
  /// Adds an element to a heap; `isAbove` compares elements, the top being above all others.
  ///
  /// - Complexity: O(log n).
  @inlinable @inline(__always)
  package mutating func pushHeap(_ element: Element, by isAbove: (Element, Element) -> Bool) {
    append(element)
    var index = count &- 1
    while index > 0, isAbove(element, self[(index &- 1) / 2]) {
      self[index] = self[(index &- 1) / 2]
      index = (index &- 1) / 2
    }
    self[index] = element
  }

  /// Replaces the top of the heap formed by the first `end` elements.
  ///
  /// - Precondition: 0 < `end` ≤ count.
  /// - Complexity: O(log n).
  @inlinable @inline(__always)
  package mutating func replaceTop(with element: Element, end: Int, by isAbove: (Element, Element) -> Bool) {
    var index = 0
    while 2 &* index &+ 1 < end {
      var child = 2 &* index &+ 1
      if child &+ 1 < end, isAbove(self[child &+ 1], self[child]) { child &+= 1 }
      guard isAbove(self[child], element) else { break }
      self[index] = self[child]
      index = child
    }
    self[index] = element
  }

  /// Removes the top of a heap and returns it; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  @inlinable @inline(__always)
  package mutating func popHeap(by isAbove: (Element, Element) -> Bool) -> Element? {
    guard let last = popLast() else { return nil }
    guard let top = first else { return last }
    replaceTop(with: last, end: count, by: isAbove)
    return top
  }

  /// Sorts a heap in place by heapsort, its top last.
  ///
  /// - Complexity: O(n log n); allocates nothing.
  @inlinable
  package mutating func sortHeap(by isAbove: (Element, Element) -> Bool) {
    for end in indices.dropFirst().reversed() {
      let last = self[end]
      self[end] = self[0]
      replaceTop(with: last, end: end, by: isAbove)
    }
  }
}
