import CitiesProtocol
import FrameService

/// The range of rows on a page.
struct Page {
  private let offset: Int
  /// The largest number of rows.
  let limit: Int

  /// Validates the parameters of a request.
  ///
  /// - Throws: `invalid-params` if `limit` is more than `maximum`.
  init(offset: UInt64?, limit: UInt64?, default usual: UInt64, maximum: UInt64) throws(WireError) {
    self.limit = Int(try limitInRange(limit, usual, maximum: maximum))
    self.offset = Int(clamping: offset ?? 0)
  }

  /// Whether the page has row number `index`.
  func contains(_ index: Int) -> Bool { index >= offset && index - offset < limit }

  /// The indices of its rows, out of `count`.
  func indexes(of count: Int) -> Range<Int> {
    let start = min(offset, count)
    return start..<start + min(limit, count - start)
  }
}

/// The parameter `limit`, or the default `usual`.
///
/// - Throws: `invalid-params` above `maximum`.
func limitInRange(_ limit: UInt64?, _ usual: UInt64, maximum: UInt64) throws(WireError) -> UInt64 {
  let limit = limit ?? usual
  guard limit <= maximum else { throw .invalidParam("limit", "\(limit) is more than \(maximum)") }
  return limit
}
