extension UnsafeMutableBufferPointer {
  /// Moves the element to `n` that sorting would put there, with nothing above it before and nothing below it after.
  ///
  /// Quickselect (C. A. R. Hoare, CACM 4(7), 1961) with the median of three as pivot. Should an order make it slow, the
  /// rest is sorted instead (D. R. Musser, "Introspective sorting and selection algorithms", 1997).
  ///
  /// - Complexity: O(n) on average, O(n log n) at worst.
  @inlinable
  package func select(_ n: Int, by isBelow: (Element, Element) -> Bool) {
    guard indices.contains(n) else { return }
    var (low, high) = (startIndex, endIndex)
    var patience = 2 * (Int.bitWidth - count.leadingZeroBitCount)
    while high - low > 16 {
      guard patience > 0 else { break }
      patience -= 1
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

  /// Splits around a pivot and returns the range that is in its final place.
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
