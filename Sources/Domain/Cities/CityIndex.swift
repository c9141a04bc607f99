/// Answers questions about cities from the sections of an index, without copying them.
///
/// It borrows the sections' memory; its owner keeps that mapped. A rank is a city's position in key order.
public struct CityIndex {
  /// Checks the sections' shapes; hostile contents give wrong answers at worst, never a trap.
  public init(sections: (CitySection) -> UnsafeRawBufferPointer?) throws(CityIndexError) { fatalError("not written yet") }

  /// Cities in all.
  public var count: Int { fatalError("not written yet") }

  /// Finds the cities whose title begins with `query`, which is folded by `mode` already (`country` by `.plain`).
  /// Ranges of positions in the order that belongs to the query go to `matches`, whose memory is used again.
  public func search(
    _ query: UnsafeRawBufferPointer, mode: CityMatchMode, country: UnsafeRawBufferPointer?, into matches: inout CityMatches
  ) { fatalError("not written yet") }

  /// The bytes of the rows at `positions` of `matches`, appended by `append` in as few slices as possible.
  public func withRows(
    _ matches: CityMatches, offset: Int, limit: Int, _ append: (UnsafeRawBufferPointer) -> Void
  ) { fatalError("not written yet") }

  /// The row bytes of the city at `rank`; empty if out of range.
  public func row(at rank: Int) -> UnsafeRawBufferPointer { fatalError("not written yet") }

  /// The rank of the city with `id`.
  public func rank(id: UInt64) -> Int? { fatalError("not written yet") }
}

/// Why sections are no index.
public struct CityIndexError: Error, Equatable, Sendable {
  /// What is wrong, with what was expected and found.
  public var message: String
  /// Makes an error.
  public init(_ message: String) { self.message = message }
}

/// How a query is compared.
public enum CityMatchMode: Sendable {
  /// Diacritics count.
  case plain
  /// Base letters only.
  case folded
}

/// Where the matches of a query stand; used again from query to query.
public struct CityMatches {
  /// All matches, exactly.
  public internal(set) var total = 0
  /// Makes an empty one.
  public init() {}
}
