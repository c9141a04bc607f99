/// A common reason for the failure of one or more feeds, for people: feeds of one bank often fail for the same reason.
package struct SharedFailure: Equatable, Sendable {
  /// The feeds.
  package var feeds: [FeedName]
  /// The reason, without the URL of a web source.
  package var reason: String
  /// The reason with the URL; `nil` if the feeds have different ones.
  package var whole: String?

  /// The names of the feeds: `swedbank-ee, swedbank-lv`.
  package var names: String { feeds.map(\.rawValue).joined(separator: ", ") }

  /// The distinct reasons of `failures`, in order of first occurrence.
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
    // Searching for "://" would link the standard library's regular expressions, 1.4 MB.
    let address = parts.first?.split(separator: ":", maxSplits: 1).dropFirst().first
    guard parts.count == 2, let address, address.hasPrefix("//"), address.hasSuffix(":") else { return error }
    return String(parts[1])
  }
}
