import CBOR
import CitiesClient
import CitiesProtocol
import Framing
import Glibc
import TestSupport
import Testing

@testable import CitiesBrowser

@Suite("The connection of the screen")
struct ServerLinkTests {
  @Test func `a server that sends no news is connected`() throws {
    let refusal = ServerEnvelope<Watch>(id: .max, error: WireError(.busy, "too many watchers"))
    let bytes = Frame.framed(try CBOREncoder().encode(refusal))
    let server = try FakeServer { _ in [.send(bytes)] }
    defer { server.stop() }
    let link = try ServerLink(SocketLocation(path: server.path), newsOf: Subject.all)
    var browser = Browser(.browse, size: ScreenSize(rows: 24, columns: 80))
    _ = browser.update(.disconnected(reason: "the connection was lost"))
    let end = ContinuousClock.now + .seconds(10)
    while browser.server != .connected(isSlow: false), .now < end {
      var entries = link.polled.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
      poll(&entries, nfds_t(entries.count), 100)
      for event in link.move() { _ = browser.update(event) }
    }
    #expect(browser.server == .connected(isSlow: false))
  }
}
