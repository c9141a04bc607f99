package import Logging

/// A kind of event in the log, identified by a number for `journalctl MESSAGE_ID=…`.
///
/// `contrib/systemd/cities.catalog` explains each kind for `journalctl --catalog`. Numbers are never changed or reused.
package struct JournalEvent: Sendable {
  /// 128 bits in hexadecimal digits.
  let number: String

  /// The service serves its socket.
  package static let started = JournalEvent(number: "5b9be86a0cfa4b23b93fc1f83d94000c")
  /// The service could not start.
  package static let startFailed = JournalEvent(number: "167e01e1610346ad95dd4f1e0aec92b8")
  /// The service accepts no new connections.
  package static let stopping = JournalEvent(number: "1cdcc0f3c0a9471db36137555830be82")
  /// The service has answered everything it received.
  package static let stopped = JournalEvent(number: "0b3cdfbbc0dc47e4a7abf7f1579e87fc")
  /// A configuration key is invalid, or a new configuration was not adopted.
  package static let configurationInvalid = JournalEvent(number: "db0d77274845469198d5679dbbca5484")
  /// The served data has changed.
  package static let dataChanged = JournalEvent(number: "e368272b724a48a9968116f21139b420")
  /// A file is not used, or only partly.
  package static let dataRefused = JournalEvent(number: "262e8b9cd518465287f50a46d083951c")
  /// Data is no longer served.
  package static let dataWithdrawn = JournalEvent(number: "6931ad20ec1446b5ba2ef48cc5837d69")
  /// A feed has delivered data.
  package static let feedUpdated = JournalEvent(number: "1cab47e03c9444cba0d59d34119d13a4")
  /// A feed could not be updated.
  package static let feedFailed = JournalEvent(number: "faceb33a33ea403b90f956659642c966")
  /// A feed has recovered from a failure.
  package static let feedRecovered = JournalEvent(number: "08f67c51cf8b4a4b8724b25f0a7a0dcd")
  /// Records of a feed, or its stored copy, are suspicious.
  package static let feedRemark = JournalEvent(number: "a487cd7c5a0a4eda86f6c14752fa311a")
  /// The sync service does not answer.
  package static let syncLost = JournalEvent(number: "3d962c0996e74b01999699242208a698")
  /// The sync service answers again.
  package static let syncFound = JournalEvent(number: "88909b39dca24c3c9dd836a77796ed3d")
  /// A connection was closed because its client violated a limit, or to make room for another user.
  package static let connectionClosed = JournalEvent(number: "c9bb74eaaf944027b542dd339a9e916a")
  /// A limit of the process was reached.
  package static let limitReached = JournalEvent(number: "537745a57e6e44ad8386996f2e48ad19")
  /// The service runs without one of its parts.
  package static let degraded = JournalEvent(number: "098c68d8a6074e4f98c0298e802e5158")
}

extension Logger.Metadata {
  /// The fields of a journal entry; the text for people does not repeat them.
  package static func event(
    _ event: JournalEvent, feed: String? = nil, subject: String? = nil, generation: String? = nil, peer: UInt32? = nil,
    error: String? = nil
  ) -> Logger.Metadata {
    let fields = [
      "MESSAGE_ID": event.number, "CITIES_FEED": feed, "CITIES_SUBJECT": subject, "CITIES_GENERATION": generation,
      "CITIES_PEER_UID": peer.map { "\($0)" }, "CITIES_ERROR": error,
    ]
    return fields.compactMapValues { $0.map { .string($0) } }
  }
}
