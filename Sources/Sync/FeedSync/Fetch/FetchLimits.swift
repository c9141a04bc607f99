/// What one download may take; every part can be configured.
package struct FetchLimits: Equatable, Sendable {
  /// Bytes of a body, unpacked: the largest real feed has less than a hundredth of it.
  package static let usualBytes = 64 << 20
  /// Redirects that are followed, each to `https:` only.
  package static let redirects = 3
  /// Bytes of an `ETag` or `Last-Modified` that are remembered; a longer one is as good as none.
  package static let validatorBytes = 1_024
  /// Bytes a second below which a download counts as stalled.
  package static let stallSpeed = 100

  /// Values of ``bytes`` that are accepted.
  package static let byteRange: ClosedRange<Int64> = 1_024...Int64(SourceFile.maximumBytes)
  /// Values of the times that are accepted, in seconds.
  package static let secondRange: ClosedRange<Int64> = 1...3_600

  /// Bytes of a body that are accepted, unpacked; checked before and while it arrives.
  package var bytes = usualBytes
  /// Seconds until there is a connection, TLS included.
  package var connect: Int64 = 10
  /// Seconds for all of it.
  package var total: Int64 = 120
  /// Seconds for which less than ``stallSpeed`` may arrive.
  package var stall: Int64 = 20

  /// The usual limits.
  package init() {}

  /// What is said of a body above ``bytes``.
  var excess: String { "more than the \(bytes) bytes that are accepted; limits.bytes can be raised" }
  /// What is said of a download that takes longer than ``total``.
  var overrun: String { "not finished within \(total) s (limits.total)" }
}
