import CCurl
import Glibc

extension WebTransfer {
  /// A sentence about a transfer that failed: what, where, what to do.
  ///
  /// The same failure gives the same sentence, without the milliseconds of libcurl's own words, so that who logs can tell
  /// whether anything is new.
  func failure(
    _ code: CURLcode, of request: FetchRequest, _ limits: FetchLimits, _ received: ReceivedBody
  ) -> FeedError {
    func fault(_ text: String, _ reason: FeedError.Reason = .unavailable) -> FeedError {
      FeedError(reason, "\(request.url): \(text)")
    }
    if received.isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
      return fault("more than the \(limits.bytes) bytes that are accepted; limits.bytes can be raised", .badData)
    }
    switch code {
    case CURLE_ABORTED_BY_CALLBACK: return fault("the download was given up because the service leaves", .cancelled)
    case CURLE_COULDNT_RESOLVE_HOST: return fault("the host's name cannot be resolved; check the URL and the network")
    case CURLE_COULDNT_RESOLVE_PROXY: return fault("the proxy's name cannot be resolved; check https_proxy")
    case CURLE_COULDNT_CONNECT: return fault("no connection: \(systemWords)")
    case CURLE_OPERATION_TIMEDOUT: return fault(timeout(limits))
    case CURLE_TOO_MANY_REDIRECTS: return fault("more than \(FetchLimits.redirects) redirects")
    case CURLE_UNSUPPORTED_PROTOCOL: return fault("it redirects to something else than https:")
    case CURLE_PARTIAL_FILE: return fault("the body is shorter than the server said", .badData)
    case CURLE_BAD_CONTENT_ENCODING: return fault("the body's gzip is damaged, or it is packed otherwise", .badData)
    case CURLE_PEER_FAILED_VERIFICATION:
      return fault("\(words); a certificate authority of your own can be named in tls.caFile")
    case CURLE_GOT_NOTHING: return fault("the server hung up without an answer")
    default: return fault(words.isEmpty ? String(cString: curl_easy_strerror(code)) : words)
    }
  }

  private var systemWords: String {
    systemError == 0 ? "the connection was not made" : String(cString: strerror(systemError)).lowercased()
  }

  private func timeout(_ limits: FetchLimits) -> String {
    guard hasConnected else { return "no connection within \(limits.connect) s (limits.connect)" }
    guard words.contains("too slow") else { return "not finished within \(limits.total) s (limits.total)" }
    return "stalled: less than \(FetchLimits.stallSpeed) bytes a second for \(limits.stall) s (limits.stall)"
  }
}
