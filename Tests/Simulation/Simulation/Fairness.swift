/// What an answer costs the server: looks at its clock, each after some work, and the bytes that it sends.
struct Cost {
  private var looks: ClosedRange<Int64>?
  private var bytes: ClosedRange<Int64> = 0...0

  /// Takes in what the answer has cost once.
  mutating func include(looks count: Int64, bytes size: Int64) {
    guard let known = looks else {
      (looks, bytes) = (count...count, size...size)
      return
    }
    looks = min(known.lowerBound, count)...max(known.upperBound, count)
    bytes = min(bytes.lowerBound, size)...max(bytes.upperBound, size)
  }

  /// The time that answering takes in slices of `slice` nanoseconds, where each look comes after `work` nanoseconds.
  ///
  /// An undisturbed server looks twice more for each slice of about fifty looks. A look follows each slice, and also
  /// each turn that has no answer.
  func time(work: Int64, slice: Int64) -> ClosedRange<Int64> {
    let (fewest, most) = (looks?.lowerBound ?? 0, looks?.upperBound ?? 0)
    let least = max(0, fewest - 2 - fewest / 20) * work + bytes.lowerBound / 8
    let slices = most * work / slice + 2
    return least...max(least, (most + slices + 2) * work + bytes.upperBound / 4 + 6_000)
  }
}

/// Compares what the server does for users that all wait for it: the bound of start-time fair queuing.
///
/// While two users have requests, their shares of the processor's time differ by one turn of each at most (Goyal, Vin
/// and Cheng, SIGCOMM 1996). No account of the server's is believed: what counts is the requests that it has answered,
/// at what they cost an undisturbed server. So the bound has room for the requests in progress, and for answers that
/// are sent at the end of a turn.
struct Fairness {
  private struct User {
    /// Requests that the server can read or go on with, and has not answered.
    var waiting = 0
    /// Time that its answers have cost, at least and at most.
    var least: Int64 = 0
    var most: Int64 = 0
    /// Connections, each of which has one request in progress at most.
    var connections = 0
    /// The most that one of its requests costs.
    var largest: Int64 = 0
    /// By how much, at the lowest, it was certainly ahead of another user since both have waited.
    var lowest: [UInt32: Int64] = [:]
  }

  private var users: [UInt32: User] = [:]
  /// The longest lead, in percent of its bound.
  private(set) var longestLead: Int64 = 0

  /// A connection of `user`, whose requests cost up to `largest` nanoseconds.
  mutating func connect(_ user: UInt32, largest: Int64) {
    users[user, default: User()].connections += 1
    users[user, default: User()].largest = max(users[user]?.largest ?? 0, largest)
  }

  /// A connection of `user` has ended.
  mutating func disconnect(_ user: UInt32) { users[user]?.connections -= 1 }

  /// The number of requests that wait for the server on connections of `user` changes by `change`.
  mutating func change(_ user: UInt32, by change: Int) {
    let before = users[user]?.waiting ?? 0
    users[user, default: User()].waiting = before + change
    guard before == 0, change > 0 else { return }
    for other in users.keys where other != user {
      let (own, others) = (lead(of: user, over: other), lead(of: other, over: user))
      users[user]?.lowest[other] = own
      users[other]?.lowest[user] = others
    }
  }

  /// The server has answered a request of `user` that costs `cost`, in turns of up to `turn` nanoseconds.
  ///
  /// - Returns: the problem if that puts the user too far ahead of another one; else nil.
  mutating func answer(_ user: UInt32, _ cost: ClosedRange<Int64>, turn: Int64) -> String? {
    users[user]?.least += cost.lowerBound
    users[user]?.most += cost.upperBound
    var problem: String?
    for other in users.keys.sorted() where other != user && users[other]?.waiting ?? 0 > 0 {
      let gained = lead(of: user, over: other) - (users[user]?.lowest[other] ?? .max)
      let bound = inProgress(of: user) + inProgress(of: other) + 4 * turn
      longestLead = max(longestLead, gained * 100 / bound)
      if gained > bound {
        problem = "it is \(gained / 1_000) us ahead of user \(other), who waits, too; at most \(bound / 1_000)"
      }
      let lowest = min(users[other]?.lowest[user] ?? .max, lead(of: other, over: user))
      users[other]?.lowest[user] = lowest
    }
    return problem
  }

  private func inProgress(of user: UInt32) -> Int64 {
    users[user].map { Int64(min($0.connections, World.maximumStarted)) * $0.largest } ?? 0
  }

  private func lead(of user: UInt32, over other: UInt32) -> Int64 {
    (users[user]?.least ?? 0) - (users[other]?.most ?? 0)
  }
}
