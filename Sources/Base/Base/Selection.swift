/// The first index of `range` for which `isBelow` is false: the partition point of a sorted range.
///
/// ```swift
/// let index = partitionPoint(0..<names.count) { names[$0] < wanted }
/// ```
///
/// `isBelow` must be true up to some index and false from there on; otherwise the result is some index of the range or
/// its end, and nothing traps. It is called only with indices of `range`.
///
/// - Complexity: O(log *n*) calls of `isBelow`.
@inlinable @inline(__always)
package func partitionPoint(_ range: Range<Int>, _ isBelow: (Int) -> Bool) -> Int {
  var (low, high) = (range.lowerBound, range.upperBound)
  while low < high {
    let middle = (low &+ high) >> 1
    if isBelow(middle) { low = middle &+ 1 } else { high = middle }
  }
  return low
}

extension RandomAccessCollection where Index == Int {
  /// The first index whose element does not satisfy `isBelow`; see ``partitionPoint(_:_:)``.
  ///
  /// - Complexity: O(log *n*).
  @inlinable
  package func partitionPoint(where isBelow: (Element) -> Bool) -> Int {
    Base.partitionPoint(startIndex..<endIndex) { isBelow(self[$0]) }
  }
}

extension UnsafeMutableBufferPointer {
  /// Moves to index `n` the element that sorting would put there; no earlier element is above it, and no later one
  /// below it.
  ///
  /// Quickselect (C. A. R. Hoare, CACM 4(7), 1961) with the median of three as pivot. If an input makes it slow, the
  /// rest is sorted instead (D. R. Musser, "Introspective sorting and selection algorithms", 1997).
  ///
  /// - Complexity: O(n) on average, O(n log n) at worst.
  @inlinable
  package func select(_ n: Int, by isBelow: (Element, Element) -> Bool) {
    guard indices.contains(n) else { return }
    var (low, high) = (startIndex, endIndex)
    var budget = 2 * (Int.bitWidth - count.leadingZeroBitCount)
    while high - low > 16 {
      guard budget > 0 else { break }
      budget -= 1
      let middle = partition(low, high, by: isBelow)
      if n < middle.lowerBound {
        high = middle.lowerBound
      } else if n >= middle.upperBound {
        low = middle.upperBound
      } else {
        return
      }
    }
    var rest = UnsafeMutableBufferPointer(rebasing: self[low..<high])
    rest.sort(by: isBelow)
  }

  /// Partitions around a pivot and returns the range that is in its final place.
  @inlinable
  func partition(_ low: Int, _ high: Int, by isBelow: (Element, Element) -> Bool) -> Range<Int> {
    let pivot = median(self[low], self[(low + high) / 2], self[high - 1], by: isBelow)
    var (left, right) = (low, high - 1)
    while left <= right {
      while isBelow(self[left], pivot) { left += 1 }
      while isBelow(pivot, self[right]) { right -= 1 }
      guard left <= right else { break }
      swapAt(left, right)
      left += 1
      right -= 1
    }
    return (right + 1)..<left
  }
}

@inlinable
func median<Element>(
  _ first: Element, _ second: Element, _ third: Element, by isBelow: (Element, Element) -> Bool
) -> Element {
  let (low, high) = isBelow(second, first) ? (second, first) : (first, second)
  if isBelow(third, low) { return low }
  return isBelow(third, high) ? third : high
}
