internal import COutlines

extension Outlines {
  /// The outlines that are part of the program.
  ///
  /// - Throws: ``OutlinesError`` if the program was built with others than it reads.
  /// - Complexity: O(n) in their 190 KB, about a millisecond; keep the result.
  package static func embedded() throws(OutlinesError) -> Outlines {
    try Outlines(UnsafeBufferPointer(start: cities_outlines_bytes(), count: cities_outlines_count()))
  }
}
