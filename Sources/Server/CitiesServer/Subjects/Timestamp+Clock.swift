import CitiesProtocol
import Resident
import System

extension Timestamp {
  /// The current time.
  static var now: Timestamp { Timestamp(secondsSince1970: secondsNow) }
  /// The current time in seconds since 1970-01-01T00:00:00Z.
  static var secondsNow: Int64 { SystemClock.seconds() }

  /// The modification time of a file; `nil` if RFC 3339 cannot represent it.
  init?(ofFile identity: FileIdentity) {
    self.init(secondsSince1970: identity.secondsModified)
    if secondsSince1970 == nil { return nil }
  }
}
