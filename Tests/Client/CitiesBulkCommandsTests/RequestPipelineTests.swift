import CBOR
import CitiesProtocol
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

/// Requests over several connections at once.
@Suite struct RequestPipelineTests {
  private static let window = 2

  /// The items whose answers were passed on, in that order; each answer is checked to be that of its item.
  private func items(
    of count: Int, servers: Int, _ reaction: @escaping @Sendable (FakeServer.Request) -> TensServer.Reaction
  ) throws -> [Int] {
    let server = try TensServer(reaction).server
    defer { server.stop() }
    var (passed, queued, mostSent) = ([Int](), 0, 0)
    let status = run(["locate", "--socket", server.path, "--timeout", "60"], in: Context { _ in nil }) {
      _, context in
      let pipeline = RequestPipeline<Int, CityLocate>(context, window: Self.window, servers: servers) {
        CityLocate(lat: .doubles([Double($0 % 9) * 10]), lon: .doubles([1]), rows: true)
      }
      while queued < count || !pipeline.isIdle {
        while pipeline.hasRoom, queued < count {
          try pipeline.queue(queued)
          queued += 1
        }
        mostSent = max(mostSent, pipeline.sent.count)
        try pipeline.wait(orFor: nil, atMost: .seconds(1)) { payload, item in
          let reply = try BulkReply.read(payload).get()
          #expect(reply.metres == [UInt32(item % 9)])
          passed.append(item)
          return nil
        }
        try pipeline.settle {}
      }
      return .found
    }
    #expect(status == .found && mostSent == Self.window * servers)
    return passed
  }

  @Test func `answers that come early wait for those before them`() throws {
    let early = Box(0)
    let passed = try items(of: 12, servers: 3) { request in
      // The first connection answers last.
      let isHeld = request.connection == 0 && request.number == 0
      if isHeld { _ = eventually { early.value >= 2 * Self.window } } else { early.change { $0 += 1 } }
      return .answer()
    }
    #expect(passed == Array(0..<12))
  }

  @Test func `a lost connection repeats its requests in order, and those of others go on`() throws {
    let asked = Box<[Int: [Double]]>([:])
    let passed = try items(of: 40, servers: 2) { request in
      struct Envelope: Decodable { var params: CityLocate }
      let latitude = (try? CBORDecoder().decode(Envelope.self, from: request.payload))?.params.lat.numbers.first ?? -1
      asked.change { $0[request.connection, default: []].append(latitude) }
      return request.connection == 1 && request.number == 3 ? .close : .answer()
    }
    #expect(passed == Array(0..<40))
    let connections = asked.value
    #expect(connections.keys.sorted() == [0, 1, 2])
    let (lost, next) = (connections[1] ?? [], connections[2] ?? [])
    // Requests take turns, and begin with the second connection: those of the lost one are every second of all.
    func latitudes(from first: Int) -> [Double] { stride(from: first, to: 40, by: 2).map { Double($0 % 9 * 10) } }
    #expect(lost == Array(latitudes(from: 0)[..<4]))
    #expect(next.count >= 17 && next == latitudes(from: 0).suffix(next.count))
    #expect(connections[0] == latitudes(from: 1))
  }

  @Test func `a server that goes with its last answer is waited for`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("restarted.sock")
    let first = try TensServer(path: path) { _ in .lastAnswer }.server
    let second = Box<FakeServer?>(nil)
    var passed: [Int] = []
    let status = run(["locate", "--socket", path, "--timeout", "60"], in: Context { _ in nil }) { _, context in
      let pipeline = RequestPipeline<Int, CityLocate>(context, window: Self.window) { _ in
        CityLocate(lat: .doubles([1]), lon: .doubles([1]), rows: true)
      }
      func answer(_ item: Int) throws {
        try pipeline.queue(item)
        while !pipeline.isIdle {
          try pipeline.wait(orFor: nil, atMost: .seconds(1)) { _, item in
            passed.append(item)
            return nil
          }
        }
      }
      try answer(0)
      first.stop()
      spawn {
        poll(nil, 0, 100)
        second.value = try? TensServer(path: path).server
      }
      // The end of the connection is noticed while nothing is asked, or was with the answer.
      try pipeline.move { _, _ in nil }
      try answer(1)
      return .found
    }
    second.value?.stop()
    #expect(status == .found && passed == [0, 1])
  }
}
