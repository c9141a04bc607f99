/// The time for which one connection has been served without a break.
///
/// The clock is read from the second request on, so never for a single one. While requests are short, it is read once
/// for several of them, because that takes as much as a tenth of a short one.
struct ServingTurn {
  /// Requests between two readings of the clock while they are short.
  private static let requestsPerLook = 8
  /// The longest duration of a short request, in nanoseconds.
  private static let shortRequest: Int64 = 8_000

  var served = 0
  /// The number of served requests at which the clock is read next.
  private(set) var nextLook = 1
  /// The time at which it should end, in nanoseconds of the monotonic clock; 0 if it is not known yet.
  private(set) var deadline: Int64
  private var lastLook: Int64 = 0
  private var servedAtLook = 0

  /// Starts a turn; with a deadline of 0, its time starts at the second request.
  @inline(__always)
  init(until deadline: Int64) { self.deadline = deadline }

  /// Whether others should come first: after `maximum` requests, or about `length` nanoseconds.
  mutating func isOver(_ maximum: Int, _ length: Int64, _ clock: () -> Int64) -> Bool {
    if served >= maximum { return true }
    let now = clock()
    if deadline == 0 { deadline = now &+ length }
    let isShort = lastLook != 0 && now - lastLook < Self.shortRequest * Int64(served - servedAtLook)
    nextLook = min(served + (isShort ? Self.requestsPerLook : 1), maximum)
    (lastLook, servedAtLook) = (now, served)
    return now >= deadline
  }
}
