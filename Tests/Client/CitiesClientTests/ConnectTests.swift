import CitiesClient
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@Suite struct ConnectTests {
  private func failure(_ candidates: [String]) -> ClientError? {
    var location = SocketLocation(path: "")
    location.candidates = candidates
    return clientError { _ = try Client(.init(location: location)).send(Status()) }
  }

  @Test func `missing sockets are all named with the way to start a server`() throws {
    let folder = try TemporaryFolder()
    let paths = [folder.path("a.sock"), folder.path("no/b.sock")]
    let error = failure(paths)
    #expect(error == .noServer(tried: paths.map { .init(path: $0, reason: "no such socket", isAbsent: true) }))
    let text = "\(try #require(error))"
    #expect(paths.allSatisfy(text.contains) && text.contains("citiesd.socket") && text.contains("'citiesd'"))
  }

  @Test func `refused socket is an error and the next is not tried`() throws {
    let folder = try TemporaryFolder()
    close(UnixSocket.bound(folder.path("dead.sock")))
    let server = try FakeServer { [.send($0.reply(page()))] }
    defer { server.stop() }
    let reason = "the socket exists, but no program listens on it"
    #expect(
      failure([folder.path("dead.sock"), server.path])
        == .noServer(tried: [.init(path: folder.path("dead.sock"), reason: reason)]))
    #expect(server.connections == 0)
  }

  @Test func `missing socket is passed over for the next`() throws {
    let server = try FakeServer { [.send($0.reply(page()))] }
    defer { server.stop() }
    var location = SocketLocation(path: "/nowhere/a.sock")
    location.candidates.append(server.path)
    #expect(try Client(.init(location: location)).send(CitySearch(prefix: "al")) == page())
  }

  @Test func `file that is no socket is refused`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("file", [])
    let error = failure([path])
    #expect(error == .noServer(tried: [.init(path: path, reason: "not a socket", isHopeless: true)]))
    #expect("\(try #require(error))".hasSuffix("Name the server's socket with --socket or CITIES_SOCKET"))
  }

  @Test(arguments: [107, 108, 200]) func `path is refused where it is too long for a socket`(length: Int) {
    let path = "/" + String(repeating: "a", count: length - 1)
    guard case .noServer(let tried)? = failure([path]) else { return #expect(Bool(false), "expected noServer") }
    #expect(tried[0].reason.contains("107 bytes") == (length > 107))
    // No server can be there, so that a private one is started as if nothing was.
    #expect(tried[0].isAbsent)
  }

  @Test func `socket of another user is a permission error`() throws {
    guard geteuid() != 0 else { return }
    let folder = try TemporaryFolder()
    let descriptor = UnixSocket.listen(folder.path("closed.sock"))
    defer { close(descriptor) }
    chmod(folder.path("closed.sock"), 0)
    #expect(failure([folder.path("closed.sock")]) == .permissionDenied(path: folder.path("closed.sock")))
  }

  @Test func `full queue times out`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("full.sock")
    let listener = UnixSocket.bound(path)
    listen(listener, 0)
    defer { close(listener) }
    let configuration = Client.Configuration(location: SocketLocation(path: path), timeout: .milliseconds(100))
    // One connection fits a queue of length 0; it is never accepted, so its client hears nothing either.
    let first = Client(configuration)
    #expect(clientError { _ = try first.send(Status()) } == .timedOut(path: path, after: .milliseconds(100)))
    let second = Client(configuration)
    #expect(clientError { _ = try second.send(Status()) } == .timedOut(path: path, after: .milliseconds(100)))
  }
}
