import CBOR
import CitiesProtocol
import CitiesServer
import FrameService
import Glibc
import Logging
import Resident
import TestSupport

/// Requests over a live connection to a server with small lists of everything.
///
/// An input consists of pieces. Two bytes precede each: the length, and in their highest bit whether the piece is sent
/// as it is, without the length of a frame. The server gets all of it and then the end; each request has one answer.
final class RequestTarget: FuzzTarget {
  static let name = "requests"
  private static let unframed = 0x8000

  private let folder: TemporaryFolder
  private let server: QueryServer

  init() throws {
    folder = try TemporaryFolder()
    try SampleFiles.cities().write(to: folder.path("cities.index"))
    try SampleFiles.banks().write(to: folder.path("banks.resident"))
    try SampleFiles.trade().write(to: folder.path("trade.resident"))
    var configuration = ServerConfiguration(stateFolder: folder.path)
    configuration.isPrivate = true
    server = try QueryServer(configuration, Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
  }

  static var seeds: [[UInt8]] {
    let requests = WireVectors.requests.map(\.payload)
    return requests.map(piece) + [requests.prefix(40).flatMap(piece)]
  }

  private static func piece(_ payload: [UInt8]) -> [UInt8] {
    [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
  }

  func run(_ input: [UInt8]) throws {
    var (pieces, bytes) = (FuzzInput(input), [UInt8]())
    while !pieces.isEmpty {
      let head = pieces.number(width: 2)
      let piece = pieces.bytes(atMost: head & ~Self.unframed)
      bytes += head & Self.unframed == 0 ? RawClient.framed(piece) : piece
    }
    let requests = Self.frames(in: bytes)
    try check(exchange(bytes, requests: requests), requests: requests)
  }

  /// What the server sends until it closes the connection, in which `requests` frames are complete.
  private func exchange(_ bytes: [UInt8], requests: Int) throws -> [[UInt8]] {
    let mayWatch = String(decoding: bytes, as: UTF8.self).contains("watch")
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw FuzzFinding("no pair of sockets: error \(errno)")
    }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let client = RawClient(taking: ends[0])
    let replies = Box<[[UInt8]]>([])
    let reader = BackgroundThread {
      // The server may close the connection before it has read everything.
      try? client.send(bytes)
      client.finishSending()
      var received: [[UInt8]] = []
      while let frame = try? client.receiveFrame() {
        received.append(frame)
        // A connection that watches stays open until its client closes it.
        if mayWatch, received.count >= requests { break }
      }
      replies.value = received
      client.close()
    }
    try server.serve(connection: ends[1])
    reader.join()
    return replies.value
  }

  /// The frames in `bytes` that are complete, up to one that is too large.
  private static func frames(in bytes: [UInt8]) -> Int {
    var (rest, count) = (bytes[...], 0)
    while rest.count >= 4 {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard length <= Frame.maximumRequest, rest.count >= 4 + length else { break }
      (rest, count) = (rest.dropFirst(4 + length), count + 1)
    }
    return count
  }

  private func check(_ replies: [[UInt8]], requests: Int) throws {
    var answers = 0
    for reply in replies {
      guard try canonicalized(reply, limits: .reply) == reply else { throw FuzzFinding("not canonical: \(reply)") }
      guard case .map(let pairs) = try CBORValue(decoding: reply, limits: .reply) else {
        throw FuzzFinding("no envelope: \(reply)")
      }
      let isEvent = pairs.contains { if case .text("event") = $0.key { true } else { false } }
      answers += isEvent ? 0 : 1
    }
    guard (requests...requests + 1).contains(answers) else {
      throw FuzzFinding("\(answers) answers to \(requests) requests")
    }
  }
}
