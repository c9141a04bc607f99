import CCurl
import System

extension WebTransfer {
  /// A sentence about a transfer that failed: what, where, what to do.
  ///
  /// `place` is the URL as it may be shown. The same failure gives the same sentence, without the milliseconds of libcurl's own words, so that a log can leave
  /// repetitions out.
  func failure(_ code: CURLcode, at place: String, _ limits: FetchLimits, _ received: ReceivedBody) -> FeedError {
    func fault(_ text: String, _ reason: FeedError.Reason = .unavailable) -> FeedError {
      FeedError(reason, "\(place): \(text)")
    }
    if received.isTooLarge || code == CURLE_FILESIZE_EXCEEDED { return fault(limits.excess, .badData) }
    if let problem = received.problem { return fault("\(problem)", .badData) }
    switch code {
    case CURLE_ABORTED_BY_CALLBACK: return fault("the download was given up because the service leaves", .cancelled)
    case CURLE_COULDNT_RESOLVE_HOST: return fault("the host's name cannot be resolved; check the URL and the network")
    case CURLE_COULDNT_RESOLVE_PROXY: return fault("the proxy's name cannot be resolved; check https_proxy")
    case CURLE_COULDNT_CONNECT: return fault("no connection: \(systemWords)")
    case CURLE_OPERATION_TIMEDOUT: return fault(timeout(limits))
    case CURLE_UNSUPPORTED_PROTOCOL where words.contains("HTTP/0.9"):
      return fault("the answer is HTTP/0.9 or not HTTP; expected HTTP/1.0 or later")
    case CURLE_PARTIAL_FILE: return fault("the body is shorter than the server said", .badData)
    case CURLE_PEER_FAILED_VERIFICATION:
      return fault("\(shownWords); a certificate authority of your own can be named in tls.caFile")
    case CURLE_GOT_NOTHING: return fault("the server hung up without an answer")
    default: return fault(words.isEmpty ? String(cString: curl_easy_strerror(code)) : shownWords)
    }
  }

  private var shownWords: String { SourceLocation.withShownURLs(words) }

  private var systemWords: String {
    systemError == 0 ? "the connection was not made" : SystemError.text(systemError).lowercased()
  }

  private func timeout(_ limits: FetchLimits) -> String {
    guard hasConnected else { return "no connection within \(limits.connect) s (limits.connect)" }
    guard words.contains("too slow") else { return limits.overrun }
    return "stalled: less than \(FetchLimits.stallSpeed) bytes a second for \(limits.stall) s (limits.stall)"
  }
}
