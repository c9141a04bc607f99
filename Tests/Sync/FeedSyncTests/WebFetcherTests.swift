import TestSupport
import Testing

@testable import FeedSync

/// What needs no server; Tests/EndToEnd/test_upstream.py has the rest, over a real one.
@Suite("Web fetcher", .timeLimit(.minutes(5)))
struct WebFetcherTests {
  /// Nobody listens on port 1 of this machine.
  private let request = FetchRequest(url: "https://127.0.0.1:1/list.json")

  private func refusal(_ fetcher: WebFetcher, _ attempt: AttemptOptions = AttemptOptions()) -> FeedError? {
    do throws(FeedError) {
      _ = try fetcher.fetch(request, attempt)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a refused connection is reported by its URL and reason`() {
    let expected = FeedError(.unavailable, "https://127.0.0.1:1/list.json: no connection: connection refused")
    #expect(refusal(WebFetcher()) == expected)
  }

  @Test func `a file of certificates that is not there, or has none, is reported by its key`() throws {
    let folder = try TemporaryFolder()
    let missing = refusal(WebFetcher(caFile: folder.path("ca.pem")))
    #expect(missing?.description == "tls.caFile: \(folder.path("ca.pem")): open: No such file or directory")
    let path = try folder.write("ca.pem", Array("no certificate".utf8))
    let empty = refusal(WebFetcher(caFile: path))
    #expect(empty?.reason == .badData)
    #expect(empty?.description == "tls.caFile: \(path): no certificate in the file, which must be PEM")
  }

  @Test func `many threads may download at the same time`() {
    let threads = (0..<16).map { _ in
      BackgroundThread {
        for _ in 0..<10 { #expect(refusal(WebFetcher())?.reason == .unavailable) }
      }
    }
    for thread in threads { thread.join() }
  }
}
