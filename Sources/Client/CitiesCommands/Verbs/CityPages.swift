internal import CitiesClient
internal import CitiesProtocol

/// Fetches as many rows as are wanted, page by page, all of one generation.
struct CityPages {
  /// How often paging starts over because the data changed in between.
  static let maximumRestarts = 3

  /// Whom to ask.
  var client: Client
  /// The question; its offset is where the rows begin.
  var first: CitySearch
  /// Rows at most.
  var wanted: UInt64

  /// The rows as one reply, and the total of `other`, which is asked in the same round trip as the first page.
  ///
  /// Where the data changes while it pages, it starts over with the new data: what is returned is never a mixture.
  ///
  /// - Throws: `stale-generation` if that happens more often than ``maximumRestarts``.
  /// - Complexity: one round trip for the first page and one for each ``Client/window`` pages more.
  func fetch(pipelining other: CitySearch? = nil) throws(ClientError) -> (CitySearch.Reply, other: UInt64?) {
    var restarts = 0
    while true {
      do {
        let (reply, total) = try firstPage(pipelining: other)
        return (try completed(reply), total)
      } catch {
        guard case .server(let reason) = error, reason.code == .staleGeneration, restarts < Self.maximumRestarts
        else { throw error }
        restarts += 1
      }
    }
  }

  private func firstPage(pipelining other: CitySearch?) throws(ClientError) -> (CitySearch.Reply, UInt64?) {
    var page = first
    page.limit = min(wanted, CitySearch.maximumLimit)
    guard let other else { return (try client.send(page), nil) }
    let (reply, count) = try client.send(page, other)
    // The count only decorates an empty result: without it there is no hint, and that is all.
    return (try reply.get(), (try? count.get())?.total)
  }

  private func completed(_ reply: CitySearch.Reply) throws(ClientError) -> CitySearch.Reply {
    let offset = first.offset ?? 0
    let available = reply.total > offset ? min(wanted, reply.total - offset) : 0
    var pages: [CitySearch] = []
    for start in stride(from: UInt64(reply.rows.count), to: available, by: Int(CitySearch.maximumLimit)) {
      var page = first
      page.offset = offset + start
      page.limit = min(available - start, CitySearch.maximumLimit)
      page.generation = reply.generation
      pages.append(page)
    }
    guard !pages.isEmpty, !reply.rows.isEmpty else { return reply }
    var whole = reply
    for page in try client.send(all: pages) { whole.rows += page.rows }
    return whole
  }
}
