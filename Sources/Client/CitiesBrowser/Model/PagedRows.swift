internal import CitiesCommands
internal import CitiesProtocol

/// The rows of a query, fetched page by page as they become visible.
///
/// The rows of an earlier query stay until the newest one has its first answer, so that the screen never waits.
/// Every request has an id; an answer that is no longer needed changes nothing.
struct PagedRows<Query: Hashable & Sendable, Row: Sendable>: Sendable {
  /// The default number of rows per page: as many as a tall terminal shows.
  static var usualPageSize: Int { 48 }
  /// The maximum number of cached pages; the farthest from the view are dropped first.
  static var capacity: Int { 64 }

  /// The largest total that is accepted, so that no sum of places overflows.
  static var most: UInt64 { 1 << 40 }

  /// The number of rows per page.
  let pageSize: Int
  /// A change makes replies to earlier requests obsolete.
  var query: Query {
    didSet { if query != oldValue { (isCurrent, problem, asked) = (false, nil, [:]) } }
  }
  /// The query of the current rows; `nil` before the first answer.
  private(set) var answered: Query?
  /// The total number of rows.
  private(set) var total = 0
  /// The error of the latest query.
  private(set) var problem: WireError?
  /// The generation that the rows were read from.
  private(set) var generation: String?
  /// Whether the rows answer ``query`` with current data.
  private(set) var isCurrent = false
  private var pages: [Int: [Row]] = [:]
  private var asked: [Int: UInt64] = [:]

  /// Starts with `query`.
  init(_ query: Query, pageSize: Int = PagedRows.usualPageSize) { (self.query, self.pageSize) = (query, pageSize) }

  /// The effects of an answer.
  enum Change: Hashable, Sendable {
    /// None: the answer is no longer needed.
    case none
    /// The rows are now those of another query.
    case replaced
    /// There are more rows, or rows of newer data.
    case filled
  }

  /// The row at an index, if it has been fetched.
  subscript(index: Int) -> Row? {
    guard index >= 0, let page = pages[index / pageSize] else { return nil }
    let offset = index % pageSize
    return offset < page.count ? page[offset] : nil
  }

  /// Invalidates rows or pending requests, as a change of the data or the connection requires.
  mutating func apply(_ change: DataChange) {
    switch change {
    case .connectionLost: (asked, problem) = ([:], nil)
    case .outdated: outdated()
    case .retry: if problem?.mayPass == true { problem = nil }
    }
  }

  /// The data has changed: the visible rows are fetched again, and stay until then.
  private mutating func outdated() { (isCurrent, generation, problem, asked) = (false, nil, nil, [:]) }

  /// Requests the missing pages of the rows `seen`, with messages made by `message` from the query.
  mutating func ask(_ window: inout RequestWindow, seen: [Range<Int>], _ message: (Query) -> some PagedRequest) {
    for page in seen.flatMap(missing) {
      var message = message(query)
      (message.offset, message.limit) = (UInt64(page * pageSize), UInt64(pageSize))
      message.generation = isCurrent ? generation : nil
      guard let id = window.ask(message) else { return }
      asked[page] = id
    }
  }

  /// The pages to be requested so that the rows `seen` can be shown.
  private func missing(seen: Range<Int>) -> [Int] {
    guard problem == nil else { return [] }
    guard isCurrent else {
      let page = answered == query ? seen.lowerBound / pageSize : 0
      return asked.isEmpty ? [page] : []
    }
    guard !seen.isEmpty else { return [] }
    return (seen.lowerBound / pageSize...(seen.upperBound - 1) / pageSize)
      .filter { pages[$0] == nil && asked[$0] == nil }
  }

  /// Takes a page of rows.
  ///
  /// - Parameters:
  ///   - id: The id of the answer.
  ///   - reply: The page.
  ///   - seen: The ranges of rows in view, around which pages are kept.
  /// - Returns: The effect.
  mutating func take<Reply: PagedReply>(_ id: UInt64, _ reply: Reply, seen: [Range<Int>]) -> Change
  where Reply.Row == Row {
    guard let page = asked.first(where: { $0.value == id })?.key else { return .none }
    asked[page] = nil
    let isReplaced = answered != query
    if !isCurrent { pages = [:] }
    pages[page] = reply.rows
    total = Int(min(reply.available, Self.most))
    (generation, answered, isCurrent) = (reply.generation, query, true)
    evict(outside: seen)
    return isReplaced ? .replaced : .filled
  }

  /// Takes an error in place of a page.
  ///
  /// - Returns: Whether the answer was pending.
  mutating func take(_ id: UInt64, _ error: WireError) -> Bool {
    guard let page = asked.first(where: { $0.value == id })?.key else { return false }
    asked[page] = nil
    if error.code == .staleGeneration {
      outdated()
    } else {
      problem = error
    }
    return true
  }

  /// Drops the page farthest from the rows in view, which may be at both ends; a page in view would be fetched again.
  private mutating func evict(outside seen: [Range<Int>]) {
    guard pages.count > Self.capacity else { return }
    func distance(_ page: Int) -> Int {
      seen.map { max($0.lowerBound / pageSize - page, page - ($0.upperBound - 1) / pageSize, 0) }.min() ?? 0
    }
    guard let farthest = pages.keys.max(by: { distance($0) < distance($1) }), distance(farthest) > 0 else { return }
    pages[farthest] = nil
  }
}
