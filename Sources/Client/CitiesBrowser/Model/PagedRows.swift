internal import CitiesCommands
internal import CitiesProtocol

/// The rows that a query finds, fetched page by page as they come into view.
///
/// The rows of an earlier query stay until the newest one has its first answer, so that the screen never waits.
/// Every request has an id; an answer that is no longer needed changes nothing.
struct PagedRows<Query: Hashable & Sendable, Row: Sendable>: Sendable {
  /// Rows of a page, unless a screen says otherwise: as many as a tall terminal shows.
  static var usualPageSize: Int { 48 }
  /// Pages that are kept: those farthest from the view go first.
  static var capacity: Int { 64 }

  /// The rows that a list is taken to have at most, so that no sum of places overflows.
  static var most: UInt64 { 1 << 40 }

  /// Rows of a page.
  let pageSize: Int
  private(set) var query: Query
  /// The query of the current rows; `nil` before the first answer.
  private(set) var answered: Query?
  /// How many rows there are in all.
  private(set) var total = 0
  /// Why the newest question has no answer.
  private(set) var problem: WireError?
  /// The generation that the rows were read from.
  private(set) var generation: String?
  /// Whether the rows answer ``query`` with the newest data.
  private(set) var isCurrent = false
  private var pages: [Int: [Row]] = [:]
  private var asked: [Int: UInt64] = [:]

  /// Asks for `query` first.
  init(_ query: Query, pageSize: Int = PagedRows.usualPageSize) { (self.query, self.pageSize) = (query, pageSize) }

  /// The effects of an answer.
  enum Change: Hashable, Sendable {
    /// Nothing: the model no longer waits for it.
    case none
    /// The rows are now those of another query.
    case replaced
    /// More rows, or the same ones of newer data.
    case filled
  }

  /// The row at an index, if it has been fetched.
  subscript(index: Int) -> Row? {
    guard index >= 0, let page = pages[index / pageSize] else { return nil }
    let offset = index % pageSize
    return offset < page.count ? page[offset] : nil
  }

  /// Changes the query; replies to earlier requests are ignored.
  mutating func ask(_ query: Query) {
    guard query != self.query else { return }
    self.query = query
    (isCurrent, problem) = (false, nil)
    asked = [:]
  }

  /// Makes what a change of the data or of the connection calls for be requested again.
  mutating func apply(_ change: DataChange) {
    switch change {
    case .connectionLost: (asked, problem) = ([:], nil)
    case .outdated: outdated()
    case .retry: if problem?.mayPass == true { problem = nil }
    }
  }

  /// The data has changed: the visible rows are fetched again, and stay until then.
  private mutating func outdated() { (isCurrent, generation, problem, asked) = (false, nil, nil, [:]) }

  /// Requests the pages that are missing of the rows `seen`, each by what `message` makes of the query.
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
  ///   - seen: The rows in view, around which pages are kept.
  /// - Returns: what that has changed.
  mutating func take<Reply: PagedReply>(_ id: UInt64, _ reply: Reply, seen: Range<Int>) -> Change
  where Reply.Row == Row {
    guard let page = asked.first(where: { $0.value == id })?.key else { return .none }
    asked[page] = nil
    let isReplaced = answered != query
    if !isCurrent { pages = [:] }
    pages[page] = reply.rows
    total = Int(min(reply.available, Self.most))
    (generation, answered, isCurrent) = (reply.generation, query, true)
    evict(around: seen)
    return isReplaced ? .replaced : .filled
  }

  /// Takes an error in place of a page.
  ///
  /// - Returns: whether the model waited for it.
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

  private mutating func evict(around seen: Range<Int>) {
    guard pages.count > Self.capacity else { return }
    let here = seen.lowerBound / pageSize
    guard let farthest = pages.keys.max(by: { abs($0 - here) < abs($1 - here) }) else { return }
    pages[farthest] = nil
  }
}
