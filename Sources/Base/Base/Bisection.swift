/// The first index of `range` for which `isBelow` is false: the partition point of a range that is sorted by it.
///
/// ```swift
/// let index = partitionPoint(0..<names.count) { names[$0] < wanted }
/// ```
///
/// `isBelow` must be true up to some index and false from there on; otherwise the result is some index of the range or its
/// end, and nothing traps. It is asked only about indices of `range`.
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
