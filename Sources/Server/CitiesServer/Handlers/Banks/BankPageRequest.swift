import CBOR
import CitiesProtocol
import FrameService

/// Which page of locations is asked for.
struct BankPageRequest {
  private let offset: Int
  private let limit: Int

  /// Reads offset and limit as `bank.list` and `bank.search` have them.
  ///
  /// - Throws: `invalid-params` for a limit that is too large.
  init(offset: UInt64?, limit: UInt64?) throws(WireError) {
    self.offset = Int(clamping: offset ?? 0)
    self.limit = Int(try limitInRange(limit, BankList.defaultLimit, maximum: BankList.maximumLimit))
  }

  /// Writes the page of `ranks`; keys in deterministic order, shorter ones first.
  func write(_ ranks: [Int], _ answer: BankAnswer, into reply: inout CBORWriter) throws(WireError) {
    let page = ranks.dropFirst(offset).prefix(limit)
    reply.writeMap(count: answer.pairs(besides: 2))
    reply.writeKey("rows")
    reply.writeArray(count: page.count)
    for rank in page { answer.writeEntry(rank, into: &reply) }
    try answer.writeAsOf(into: &reply)
    reply.writeKey("total")
    reply.writeUnsigned(UInt64(ranks.count))
    try answer.writeEnd(into: &reply)
  }
}

/// The parameter `limit`, or `usual` without any.
///
/// - Throws: `invalid-params` above `maximum`.
func limitInRange(_ limit: UInt64?, _ usual: UInt64, maximum: UInt64) throws(WireError) -> UInt64 {
  let limit = limit ?? usual
  guard limit <= maximum else { throw .invalidParam("limit", "\(limit) is more than \(maximum)") }
  return limit
}
