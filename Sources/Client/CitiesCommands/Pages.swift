package import CitiesClient
package import CitiesProtocol

/// Fetches the requested number of rows, page by page, all from one generation.
struct Pages<Message: PagedRequest> {
  /// The client to send with.
  var client: Client
  /// The request; its offset is that of the first row.
  var first: Message
  /// The maximum number of rows to fetch.
  var wanted: UInt64

  /// The rows as one reply.
  ///
  /// If the data changes during paging, it starts over with the new data: the rows are never a mixture.
  ///
  /// - Throws: `stale-generation` if that happens more often than ``PagedRequest/maximumRestarts``; `unreadableReply`
  ///   if the number of rows differs from the server's total.
  /// - Complexity: One round trip for the first page, and one for every ``Client/window`` further pages.
  func fetch() throws(ClientError) -> Message.Reply {
    var page = first
    page.limit = min(wanted, Message.maximumLimit)
    var restarts = 0
    while true {
      do {
        return try completed(try client.send(page))
      } catch {
        guard case .server(let reason) = error, reason.code == .staleGeneration, restarts < Message.maximumRestarts
        else { throw error }
        restarts += 1
      }
    }
  }

  private func completed(_ reply: Message.Reply) throws(ClientError) -> Message.Reply {
    guard wanted > Message.maximumLimit else { return reply }
    let offset = first.offset ?? 0
    let available = reply.available > offset ? min(wanted, reply.available - offset) : 0
    try check(reply, at: 0, of: available, total: reply.available)
    var whole = reply
    while UInt64(whole.rows.count) < available {
      let pages = nextPages(after: UInt64(whole.rows.count), of: available, reply.generation)
      for page in try client.send(all: pages) {
        try check(page, at: UInt64(whole.rows.count), of: available, total: reply.available)
        whole.rows += page.rows
      }
    }
    return whole
  }

  /// The requests for one round trip from row `start` on; limited, regardless of the server's total.
  private func nextPages(after start: UInt64, of available: UInt64, _ generation: String) -> [Message] {
    var pages: [Message] = []
    var start = start
    while start < available, pages.count < Client.window {
      var page = first
      page.offset = (first.offset ?? 0) + start
      page.limit = min(available - start, Message.maximumLimit)
      page.generation = generation
      pages.append(page)
      start += min(available - start, Message.maximumLimit)
    }
    return pages
  }

  /// Rejects a page with more or fewer rows than its total implies: paging would not end, or skip rows.
  private func check(_ page: Message.Reply, at start: UInt64, of available: UInt64, total: UInt64) throws(ClientError) {
    let expected = min(available - start, Message.maximumLimit)
    guard UInt64(page.rows.count) == expected, page.available == total, total <= Message.maximumTotal else {
      throw client.unreadable(
        """
        the page from row \((first.offset ?? 0) + start) on has \(page.rows.count) rows and a total of \
        \(page.available), where \(expected) rows of \(total) were expected
        """)
    }
  }
}

/// A verb that prints pages of rows.
protocol PagedVerb: RowVerb {
  /// The options for paging.
  var page: PageOptions { get }
}

extension PagedVerb {
  func validate() throws { try validateCount() }

  /// Rejects options that do not apply to a bare number of rows.
  func validateCount() throws { if page.count { try rendering.requireNumber() } }

  /// The requested rows, at most `wanted` if given.
  func fetch<Message: PagedRequest>(
    _ request: Message, wanted: UInt64? = nil, in context: Context
  ) throws(ClientError) -> Message.Reply {
    var first = request
    first.offset = page.offset == 0 ? nil : page.offset
    return try context.pages(first, wanted: wanted ?? page.wanted)
  }
}

extension Context {
  /// The requested rows, fetched page by page.
  package func pages<Message: PagedRequest>(
    _ first: Message, wanted: UInt64 = .max
  ) throws(ClientError) -> Message.Reply {
    try ask { (client) throws(ClientError) in
      try Pages(client: client, first: first, wanted: wanted).fetch()
    }
  }
}

/// A request whose reply is a page of rows.
package protocol PagedRequest: RequestMessage where Reply: PagedReply {
  /// The largest `limit` of one request.
  static var maximumLimit: UInt64 { get }
  /// The maximum number of rows to return.
  var limit: UInt64? { get set }
  /// The number of rows to skip.
  var offset: UInt64? { get set }
  /// The generation to which the offset refers.
  var generation: String? { get set }
}

extension PagedRequest {
  /// The maximum number of rows that a server can have: its indexes number them in 30 bits.
  static var maximumTotal: UInt64 { 1 << 30 }

  /// The number of times that paging may start over because the data has changed.
  static var maximumRestarts: Int { 3 }
}

/// A page of rows.
package protocol PagedReply {
  /// The type of a row.
  associatedtype Row
  /// The rows of this page.
  var rows: [Row] { get set }
  /// The total number of rows.
  var available: UInt64 { get }
  /// The generation of the rows.
  var generation: String { get }
}

extension CitySearch: PagedRequest {}
extension CitySearch.Reply: PagedReply { package var available: UInt64 { total } }
extension BankList: PagedRequest {}
extension BankSearch: PagedRequest {}
extension BankPage: PagedReply { package var available: UInt64 { total } }
extension ProductList: PagedRequest {}
extension ProductList.Reply: PagedReply { package var available: UInt64 { total } }
extension ProductGet: PagedRequest {}
extension ProductGet.Reply: PagedReply { package var available: UInt64 { count } }
