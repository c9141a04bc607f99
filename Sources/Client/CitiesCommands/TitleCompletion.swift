internal import ArgumentParser
internal import CitiesClient
internal import CitiesProtocol

/// Completes titles at the shell's prompt: at most 50, and silence rather than waiting.
enum TitleCompletion {
  /// Candidates at most.
  static let maximumCandidates: UInt64 = 50
  /// How long the shell may be kept waiting.
  static let patience = Duration.milliseconds(200)

  /// The titles that begin with `prefix` when neither case nor accents count.
  @Sendable static func complete(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    let client = Client(.init(location: SocketLocation(path: nil), timeout: patience, name: Product.title))
    let request = CitySearch(prefix: prefix, match: .folded, limit: maximumCandidates)
    guard !prefix.isEmpty, let reply = try? client.send(request) else { return [] }
    return titles(of: reply.rows)
  }

  /// The titles, each once, in order; harmless on the terminal that they are shown on.
  static func titles(of rows: [CityRow]) -> [String] {
    var seen: Set<String> = []
    return rows.map { visible($0.title) }.filter { seen.insert($0).inserted }
  }
}
