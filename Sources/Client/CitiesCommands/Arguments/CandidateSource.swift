internal import CitiesClient
internal import CitiesProtocol
internal import Text

/// A completion for a word, with a description for shells that can display one.
struct Candidate: Equatable {
  var text: String
  var summary: String

  init(_ text: String, _ summary: String = "") { (self.text, self.summary) = (text, summary) }

  /// Both in one line.
  var line: String { summary.isEmpty ? text : "\(text)\t\(summary)" }
}

/// Looks up the candidates that only the server knows, or that match by more than a prefix.
///
/// A completion triggers no download: only subjects with data are queried.
struct CandidateSource {
  /// The maximum number of candidates to return: they and the prompt fit a terminal of 24 rows.
  private static let shown = 15
  /// The maximum number of titles to look at.
  private static let maximum: UInt64 = 50
  /// The maximum number of rows to search.
  private static let examined: UInt64 = 1_000

  /// The words of the same argument before the one to complete.
  private let earlier: [String]
  /// The country given by another option.
  private let country: String?
  private let client: Client

  /// Connects when it is first asked; after `patience` without an answer the shell gets no candidates.
  init(
    socket: String? = nil, country: String? = nil, earlier: [String] = [], patience: Duration = .milliseconds(200)
  ) {
    (self.country, self.earlier) = (country, earlier)
    client = Client(
      .init(
        location: SocketLocation(path: socket, startsPrivateServer: true), timeout: patience, name: Product.title))
  }

  /// The candidates for a word that starts with `start`, best first; none if the server does not answer in time.
  ///
  /// If there are too many, the last one shares as few first letters with the first as any: what all start with may be
  /// inserted.
  func candidates(for completion: Completion, _ start: String) -> [Candidate] {
    let all = once((try? search(completion, start)) ?? [])
    guard all.count > Self.shown, let first = all.first else { return all }
    let shared = { (candidate: Candidate) in zip(candidate.text, first.text).prefix { $0 == $1 }.count }
    let last = all.dropFirst(Self.shown - 1).min { shared($0) < shared($1) }
    return all.prefix(Self.shown - 1) + [last].compactMap(\.self)
  }

  private func search(_ completion: Completion, _ start: String) throws(ClientError) -> [Candidate] {
    switch completion {
    case .none, .files, .choices, .columns, .tasks: return []
    case .titles:
      let query = (earlier + [start]).joined(separator: " ")
      return query.isEmpty ? [] : titles(try cities(startingWith: query), after: earlier)
    case .places: return try places(after: earlier, start)
    case .place:
      // The words before may be the start of the name, or other places.
      for first in earlier.indices.dropFirst(max(0, earlier.count - 3)) {
        let found = try places(after: Array(earlier[first...]), start)
        if !found.isEmpty { return found }
      }
      return try places(after: [], start)
    case .countries: return CountryName.all.compactMap { Self.country($0.code, $0.name, start) }
    case .regions, .bankRegions:
      guard case .regions = completion else { return fitting(try bankRegions(), start) }
      let request = CitySearch(
        prefix: "", country: country, sort: .population, limit: Self.examined, with: [.region])
      return fitting(try client.send(request).rows.compactMap { row in row.region.map { Candidate($0) } }, start)
    case .currencies: return try currencies(start)
    case .feeds:
      let feeds = (try? client.send(Status()).feeds.map(\.feed)) ?? FeedName.all
      return fitting(feeds.map { Candidate($0.rawValue) }, start)
    case .products:
      guard try isReady(.trade) else { return [] }
      return fitting(try client.send(ProductList(limit: Self.examined)).rows.map { Candidate($0.sku) }, start)
    case .locations:
      guard try isReady(.banks) else { return [] }
      let listed = try client.send(BankList(limit: Self.examined)).rows.filter { $0.location.id.hasPrefix(start) }
      let named = start.isSearched ? try client.send(BankSearch(query: start, limit: Self.maximum)).rows : []
      return (listed + named).map { Candidate($0.location.id, $0.location.title) }
    }
  }

  /// The titles that people may mean by `words` and the start of another.
  private func places(after words: [String], _ start: String) throws(ClientError) -> [Candidate] {
    let query = (words + [start]).joined(separator: " ")
    guard query.isSearched else { return [] }
    let found = titles(try client.send(CityFind(query: query, limit: Self.maximum)).rows.map(\.city), after: words)
    return found.isEmpty ? titles(try cities(startingWith: query), after: words) : found
  }

  /// Whether the server has data for a subject; a query without data would start a download.
  private func isReady(_ subject: Subject) throws(ClientError) -> Bool {
    try client.send(Status()).subjects.contains { $0.subject == subject && $0.ready }
  }

  /// The largest cities whose titles start with `prefix`.
  private func cities(startingWith prefix: String) throws(ClientError) -> [CityRow] {
    try client.send(
      CitySearch(prefix: prefix, match: .folded, sort: .population, limit: Self.maximum, with: [.region])
    ).rows
  }

  /// The titles, best first, with region and population; after `words`, only the rest of the titles that start with
  /// them.
  func titles(_ rows: [CityRow], after words: [String]) -> [Candidate] {
    let folder = CaseFolder()
    let before = words.map { $0 + " " }.joined()
    let key = folder.folded(before, .baseLetters)
    return rows.compactMap { row in
      let count = before.isEmpty ? 0 : folder.matchedPrefix(of: row.title, query: key, .baseLetters)
      let details = [row.region, row.population.map { ValueForm.grouped.text(of: .count($0)) }]
      return count.map {
        Candidate(String(row.title.dropFirst($0)), details.compactMap(\.self).joined(separator: ", "))
      }
    }
  }

  /// A country by its code in capitals, or by a prefix of its name.
  private static func country(_ code: String, _ name: String, _ start: String) -> Candidate? {
    if code.hasPrefix(start) { return Candidate(code, name) }
    return name.lowercased().hasPrefix(start.lowercased()) ? Candidate(name, code) : nil
  }

  private func bankRegions() throws(ClientError) -> [Candidate] {
    guard try isReady(.banks) else { return [] }
    let reply = try client.send(BankRegions(filter: country.map { BankConditions(country: $0) }))
    return reply.countries.flatMap { country in
      country.regions.compactMap { region in region.name.map { Candidate($0, country.name) } }
    }
  }

  /// The currencies that have rates; the currencies earlier in a list are kept.
  private func currencies(_ start: String) throws(ClientError) -> [Candidate] {
    guard try isReady(.trade) else { return [] }
    let rows = try client.send(RateList()).rows
    let codes = rows.flatMap { [$0.from, $0.to] }.distinct
    let list = start.lastIndex(of: ",").map { String(start[...$0]) } ?? ""
    return fitting(codes.map { Candidate(list + $0) }, start.uppercased())
  }

  /// The candidates that start with `start`, ignoring case and diacritics.
  private func fitting(_ candidates: [Candidate], _ start: String) -> [Candidate] {
    let folder = CaseFolder()
    let key = folder.folded(start, .baseLetters)
    return candidates.filter { folder.matchedPrefix(of: $0.text, query: key, .baseLetters) != nil }
  }

  /// Removes duplicates, and escapes texts for a terminal.
  func once(_ candidates: [Candidate]) -> [Candidate] {
    var seen: Set<TextKey> = []
    return candidates.filter { !$0.text.isEmpty && seen.insert($0.text) }
      .map { Candidate(visible($0.text), visible($0.summary)) }
  }
}
