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

  /// Whether the match number `index` is in the page.
  func contains(_ index: Int) -> Bool { index >= offset && index - offset < limit }
}

/// The matches of a question while they are found: those of its page, and how many there are.
struct BankPage {
  /// The ranks in the page.
  private(set) var ranks: [Int] = []
  /// Matches in all.
  private(set) var total = 0
  private let request: BankPageRequest

  /// Nothing is found yet.
  init(_ request: BankPageRequest) { self.request = request }

  /// Takes the next match.
  mutating func append(_ rank: Int) {
    if request.contains(total) { ranks.append(rank) }
    total += 1
  }

  /// Writes the page; keys in deterministic order, shorter ones first.
  func write(
    _ answer: BankAnswer, unknownHours: Int?, into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: answer.pairs(besides: 2, unknownHours: unknownHours))
    reply.writeKey("rows")
    reply.writeArray(count: ranks.count)
    let start = reply.count
    for rank in ranks {
      try answer.writeEntry(rank, into: &reply)
      try answer.checkSize(reply.count - start)
    }
    try answer.writeAsOf(into: &reply)
    reply.writeKey("total")
    reply.writeUnsigned(UInt64(total))
    try answer.writeEnd(into: &reply, unknownHours: unknownHours)
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
