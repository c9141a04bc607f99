import CBOR
import CitiesProtocol
import Coroutines
import System
import TestSupport
import Testing

@testable import FrameService

/// Several users at one service; a connection's user is the one that the test says, not the kernel.
@Suite struct FairnessTests {
  private static let (crowd, other, third): (UInt32, UInt32, UInt32) = (70_001, 70_002, 70_003)

  /// A service for which the next connection is of the user in the box; to find that out takes `delay` nanoseconds.
  private func service(
    _ user: Box<UInt32>, delay: Box<Int64> = Box(0), _ change: (inout ServiceLimits) -> Void = { _ in }
  ) throws -> RunningService {
    var limits = ServiceLimits()
    change(&limits)
    return try RunningService(limits) {
      $0.identify = { _ in
        let end = MonotonicClock.nanoseconds() + delay.value
        while MonotonicClock.nanoseconds() < end {}
        return Peer(uid: user.value, pid: 1)
      }
    }
  }

  /// A connection of `uid` that was answered, so that it is counted.
  private func connect(_ service: RunningService, _ user: Box<UInt32>, _ uid: UInt32) throws -> RawClient {
    user.value = uid
    let client = try service.client()
    try client.ask(1, "echo")
    #expect(try client.answer()?.id == 1)
    return client
  }

  @Test func `one user's work is answered after as many turns whatever the number of another's connections`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user)
    let crowd = try (0..<40).map { _ in try connect(service, user, Self.crowd) }
    let other = try connect(service, user, Self.other)
    for client in crowd { try client.ask(2, "steps", size: 1_000_000_000) }
    for id in 3..<200 {
      try other.ask(UInt64(id), "echo")
      #expect(try other.answer()?.id == UInt64(id))
    }
    #expect(service.onLoop { $0.connectionCount } == 41)
  }

  @Test func `requests that wait are limited per user, and free when their connections close`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) { $0.pendingPerUser = 3 }
    let crowd = try (0..<4).map { _ in try connect(service, user, Self.crowd) }
    for client in crowd.prefix(3) { try client.ask(2, "forever") }
    try #require(eventually { service.onLoop { $0.counts.answered } >= 7 })
    try crowd[3].ask(2, "forever")
    #expect(try crowd[3].answer()?.error?.data?.limit == "pending-per-user")
    let other = try connect(service, user, Self.other)
    try other.ask(2, "slow", size: 1)
    #expect(try other.answer()?.result == .text("late"))
    crowd[0].close()
    try #require(eventually { service.onLoop { $0.connectionCount } <= 4 })
    try crowd[3].ask(3, "slow", size: 1)
    #expect(try crowd[3].answer()?.result == .text("late"))
  }

  @Test func `connections that watch are limited per user`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) { $0.subscribersPerUser = 1 }
    let crowd = try (0..<2).map { _ in try connect(service, user, Self.crowd) }
    let other = try connect(service, user, Self.other)
    for client in [crowd[0], other] {
      try client.ask(2, "watch")
      #expect(try client.answer()?.result == .text("watching"))
    }
    try crowd[1].ask(2, "watch")
    #expect(try crowd[1].answer()?.error?.data?.limit == "subscribers-per-user")
  }

  @Test func `when all places are taken a new user gets that of the connection that was idle longest`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) {
      $0.connections = 6
      $0.reservedConnections = 0
    }
    var crowd = try (0..<5).map { _ in try connect(service, user, Self.crowd) }
    let third = try connect(service, user, Self.third)
    // The first one is used again, so the second has been idle longest.
    try crowd[0].ask(2, "echo")
    #expect(try crowd[0].answer()?.id == 2)
    let other = try connect(service, user, Self.other)
    #expect(try crowd.remove(at: 1).answer() == nil)
    for client in crowd + [third, other] {
      try client.ask(9, "echo")
      #expect(try client.answer()?.id == 9)
    }
    #expect(service.onLoop { $0.counts.displaced } == 1)
    // The user with the most connections gets none of the others'.
    user.value = Self.crowd
    let refused = try service.client()
    #expect(try refused.answer()?.error?.data?.limit == "connections")
  }

  @Test func `connections that watch or wait are not closed to make room`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) {
      $0.connections = 3
      $0.reservedConnections = 0
    }
    let crowd = try (0..<3).map { _ in try connect(service, user, Self.crowd) }
    try crowd[0].ask(2, "watch")
    for _ in 0..<4 { #expect(try crowd[0].answer()?.id == 2) }
    try crowd[1].ask(2, "forever")
    try #require(eventually { service.onLoop { $0.counts.answered } >= 5 })
    _ = try connect(service, user, Self.other)
    #expect(try crowd[2].answer() == nil)
    user.value = Self.third
    #expect(service.onLoop { $0.connectionCount } >= 2)
  }

  @Test func `places are kept for root when others have taken all they may`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) {
      $0.connections = 8
      $0.reservedConnections = 2
    }
    let crowd = try (0..<6).map { _ in try connect(service, user, Self.crowd) }
    user.value = Self.crowd
    #expect(try service.client().answer()?.error?.data?.limit == "connections")
    let roots = try (0..<2).map { _ in try connect(service, user, 0) }
    #expect(service.onLoop { $0.connectionCount } == 8 && service.onLoop { $0.counts.displaced } == 0)
    // Even beyond them root takes the place of another.
    let last = try connect(service, user, 0)
    #expect(service.onLoop { $0.connectionCount } == 8 && service.onLoop { $0.counts.displaced } == 1)
    _ = (crowd, roots, last)
  }

  @Test func `connections that are refused are charged to their user`() throws {
    let (user, delay, refusalTime) = (Box<UInt32>(0), Box<Int64>(0), 10_000_000 as Int64)
    let service = try service(user, delay: delay) {
      ($0.connections, $0.connectionsPerUser, $0.reservedConnections) = (2, 1, 0)
    }
    let clients = try [Self.crowd, Self.other].map { uid in
      let client = try connect(service, user, uid)
      // A connection that waits for an answer is not closed to make room.
      try client.ask(2, "forever")
      return client
    }
    try #require(eventually { service.onLoop { $0.counts.answered } >= 4 })
    delay.value = refusalTime
    var newcomer = Self.third
    for (uid, limit) in [(Self.crowd, "connections-per-user"), (Self.third, "connections")] {
      user.value = uid
      for _ in 0..<3 {
        // A user that has just used half as much as the refusal is before the one that was refused.
        newcomer += 1
        service.onLoop { [newcomer] in $0.loop.clients.charge(user: newcomer, time: refusalTime / 2) }
        #expect(try service.client().answer()?.error?.data?.limit == limit)
        #expect(turns(of: [uid, newcomer], service) == [newcomer, uid])
      }
    }
    _ = clients
  }

  @Test func `the ids of a listed range have the limits of one user, and all others their own`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) { $0.connectionsPerUser = 2 }
    service.onLoop { $0.subordinates = SubordinateUsers(Array("alice:100000:65536\n1001:165536:65536\n".utf8)) }
    for first: UInt32 in [100_000, 165_536] {
      let crowd = try [first, first + 65_535].map { try connect(service, user, $0) }
      user.value = first + 7
      #expect(try service.client().answer()?.error?.data?.limit == "connections-per-user")
      crowd[0].close()
      try #require(eventually { service.onLoop { $0.connectionCount } == 1 })
      let third = try connect(service, user, first + 7)
      for client in [crowd[1], third] { client.close() }
      try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
    }
    // Users of a directory and of DynamicUser= services, two connections each.
    let outside = (0..<50).map { UInt32($0 < 25 ? 61_184 + $0 : 1_234_600_500 + $0) }
    let clients = try outside.flatMap { uid in try (0..<2).map { _ in try connect(service, user, uid) } }
    #expect(service.onLoop { $0.counters["users"] } == 50)
    _ = clients
  }

  @Test func `the ids of a listed range share promises and time`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) { $0.pendingPerUser = 3 }
    service.onLoop { $0.subordinates = SubordinateUsers(Array("alice:100000:65536".utf8)) }
    let crowd = try (0..<64).map { try connect(service, user, 100_000 + $0) }
    for client in crowd.prefix(3) { try client.ask(2, "forever") }
    try #require(eventually { service.onLoop { $0.counts.answered } >= 67 })
    try crowd[63].ask(2, "forever")
    #expect(try crowd[63].answer()?.error?.data?.limit == "pending-per-user")
    // Another user that has used half as much as all of them comes first.
    let time = 1_000_000_000 as Int64
    service.onLoop { service in
      let clients = service.loop.clients
      clients.charge(user: Self.other, time: 32 * time)
      for connection in service.connections { clients.charge(user: connection.peer.account, time: time) }
    }
    #expect(turns(of: [100_000, Self.other], service) == [Self.other, 100_000])
  }

  @Test func `a list that changes concerns new connections only`() throws {
    let user = Box<UInt32>(0)
    let service = try service(user) { $0.connectionsPerUser = 1 }
    let before = try [100_001, 100_002].map { try connect(service, user, $0) }
    service.onLoop { $0.subordinates = SubordinateUsers(Array("alice:100000:65536".utf8)) }
    let after = try connect(service, user, 100_001)
    user.value = 100_003
    #expect(try service.client().answer()?.error?.data?.limit == "connections-per-user")
    #expect(service.onLoop { $0.counters["users"] } == 3)
    for client in before + [after] { client.close() }
    try #require(eventually { service.onLoop { $0.connectionCount } == 0 })
    #expect(service.onLoop { $0.counters["users"] } == 0)
  }

  @Test func `a request that has had its turns rests while others of any user wait`() throws {
    let (user, turns, length) = (Box<UInt32>(0), Box(0), 1_000)
    let service = try service(user) { $0.turnsBeforeRest = 2 * length }
    service.onLoop { service in
      service.register([
        Handler("costly") { _, _ throws(WireError) in
          .computed(from: []) { budget in
            while true {
              turns.change { $0 += 1 }
              try await budget.pause()
            }
          }
        },
        Handler("usual") { _, _ throws(WireError) in
          .computed(from: []) { budget in
            let before = turns.value
            for _ in 0..<length { try await budget.pause() }
            let count = UInt64(turns.value - before)
            return { (reply: inout CBORWriter) throws(WireError) in reply.writeUnsigned(count) }
          }
        },
        Handler("echo") { _, reply throws(WireError) in
          reply.writeNull()
          return .written
        },
      ])
    }
    let costly = try connect(service, user, Self.crowd)
    try costly.ask(2, "costly")
    try #require(eventually { turns.value >= 2 * length })
    // It would take every second turn. A turn in which the process has no processor looks like a long one.
    for uid in [Self.other, Self.crowd] {
      let usual = try connect(service, user, uid)
      try usual.ask(2, "usual")
      guard case .unsigned(let count) = try usual.answer()?.result else { throw TestFailure() }
      #expect(count < length / 4)
    }
    // It goes on as soon as nobody waits.
    let before = turns.value
    #expect(eventually { turns.value > before + length })
  }

  private struct TestFailure: Error {}

  /// Lets each of `users` wait for a turn, and returns them in the order of their turns.
  private func turns(of users: [UInt32], _ service: RunningService) -> [UInt32] {
    let order = Box<[UInt32]>([])
    service.onLoop { service in
      for user in users { NotedTurn(user, service.loop, order).wait() }
    }
    _ = eventually { order.value.count == users.count }
    return order.value
  }
}

/// A turn that does nothing but note its user.
private final class NotedTurn: ClientTask {
  private let user: UInt32
  private let loop: EventLoop
  private let order: Box<[UInt32]>
  private let account: ClientTurns.Account

  init(_ user: UInt32, _ loop: EventLoop, _ order: Box<[UInt32]>) {
    (self.user, self.loop, self.order) = (user, loop, order)
    account = loop.clients.open(user)
  }

  func wait() { loop.clients.add(self, to: account, as: .fresh) }

  func takeTurn(until deadline: Int64, at bench: inout Workbench) {
    order.change { $0.append(user) }
    loop.soon { [clients = loop.clients, account] in clients.close(account) }
  }
}
