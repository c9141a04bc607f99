/// What a service has done since its start.
package struct ServiceCounts: Sendable, Equatable {
  /// Connections taken.
  package internal(set) var accepted: UInt64 = 0
  /// Connections told `busy`.
  package internal(set) var refused: UInt64 = 0
  /// Connections closed because another user needed their places.
  package internal(set) var displaced: UInt64 = 0
  /// Requests answered, with results and errors alike.
  package internal(set) var answered: UInt64 = 0
  /// Answers that were errors, and frames that were no requests.
  package internal(set) var failed: UInt64 = 0
}
