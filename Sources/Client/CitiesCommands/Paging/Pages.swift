internal import CitiesClient
internal import CitiesProtocol

/// Fetches as many rows as are wanted, page by page, all of one generation.
struct Pages<Message: PagedRequest> {
  /// Whom to ask.
  var client: Client
  /// The question; its offset is where the rows begin.
  var first: Message
  /// Rows at most.
  var wanted: UInt64

  /// The rows as one reply, and the total of `other`, which is asked in the same round trip as the first page.
  ///
  /// Where the data changes while it pages, it starts over with the new data: what is returned is never a mixture.
  ///
  /// - Throws: `stale-generation` if that happens more often than ``PagedRequest/maximumRestarts``.
  /// - Complexity: one round trip for the first page and one for each ``Client/window`` pages more.
  func fetch(pipelining other: Message? = nil) throws(ClientError) -> (Message.Reply, other: UInt64?) {
    var restarts = 0
    while true {
      do {
        let (reply, total) = try firstPage(pipelining: other)
        return (try completed(reply), total)
      } catch {
        guard case .server(let reason) = error, reason.code == .staleGeneration, restarts < Message.maximumRestarts
        else { throw error }
        restarts += 1
      }
    }
  }

  private func firstPage(pipelining other: Message?) throws(ClientError) -> (Message.Reply, UInt64?) {
    var page = first
    page.limit = min(wanted, Message.maximumLimit)
    guard let other else { return (try client.send(page), nil) }
    let (reply, count) = try client.send(page, other)
    // The count only decorates an empty result: without it there is no hint, and that is all.
    return (try reply.get(), (try? count.get())?.available)
  }

  private func completed(_ reply: Message.Reply) throws(ClientError) -> Message.Reply {
    let offset = first.offset ?? 0
    let available = reply.available > offset ? min(wanted, reply.available - offset) : 0
    var pages: [Message] = []
    for start in stride(from: UInt64(reply.rows.count), to: available, by: Int(Message.maximumLimit)) {
      var page = first
      page.offset = offset + start
      page.limit = min(available - start, Message.maximumLimit)
      page.generation = reply.generation
      pages.append(page)
    }
    guard !pages.isEmpty, !reply.rows.isEmpty else { return reply }
    var whole = reply
    for page in try client.send(all: pages) { whole.rows += page.rows }
    return whole
  }
}

/// A request whose reply is a page of rows.
protocol PagedRequest: RequestMessage where Reply: PagedReply {
  /// The largest limit of one request.
  static var maximumLimit: UInt64 { get }
  /// Rows at most.
  var limit: UInt64? { get set }
  /// Rows to leave out in front.
  var offset: UInt64? { get set }
  /// What the offset belongs to.
  var generation: String? { get set }
}

extension PagedRequest {
  /// How often paging starts over because the data changed in between.
  static var maximumRestarts: Int { 3 }
}

/// A page of rows.
protocol PagedReply {
  /// What a row is.
  associatedtype Row
  /// The rows.
  var rows: [Row] { get set }
  /// How many there are in all.
  var available: UInt64 { get }
  /// What they were read from.
  var generation: String { get }
}
