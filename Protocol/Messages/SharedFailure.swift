/// A reason for which one or more feeds failed, for people: of feeds of one bank it is often the same.
package struct SharedFailure: Equatable, Sendable {
  /// The feeds.
  package var feeds: [FeedName]
  /// The reason, without the address of a source on the web.
  package var reason: String
  /// The reason with the address; `nil` if the feeds have different ones.
  package var whole: String?

  /// The names of the feeds: `swedbank-ee, swedbank-lv`.
  package var names: String { feeds.map(\.rawValue).joined(separator: ", ") }

  /// The reasons of `failures`, each once, in the order in which they come first.
  ///
  /// - Complexity: O(n²) in the failures.
  package static func grouping(_ failures: [(feed: FeedName, error: String)]) -> [SharedFailure] {
    var result: [SharedFailure] = []
    for (feed, error) in failures {
      let reason = reason(of: error)
      if let place = result.firstIndex(where: { $0.reason == reason }) {
        result[place].feeds.append(feed)
        if result[place].whole != error { result[place].whole = nil }
      } else {
        result.append(SharedFailure(feeds: [feed], reason: reason, whole: error))
      }
    }
    return result
  }

  /// `status 404` for `https://bank.example/a.json: status 404`.
  private static func reason(of error: String) -> String {
    let parts = error.split(separator: " ", maxSplits: 1)
    // Not by searching for "://": that would link the regular expressions of the standard library, 1.4 MB.
    let address = parts.first?.split(separator: ":", maxSplits: 1).dropFirst().first
    guard parts.count == 2, let address, address.hasPrefix("//"), address.hasSuffix(":") else { return error }
    return String(parts[1])
  }
}
