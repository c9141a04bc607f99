import Folders
import Glibc
import System
import TestSupport
import Testing

@Suite("Unix sockets")
struct UnixSocketTests {
  @Test func `a socket is bound and connected by its path, and knows it`() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("socket")
    let listener = Descriptor(taking: UnixSocket.make())
    let client = Descriptor(taking: UnixSocket.make())
    #expect(UnixSocket.connect(client.number, to: path) == -ENOENT)
    #expect(UnixSocket.bind(listener.number, to: path) == 0)
    #expect(UnixSocket.connect(client.number, to: path) == -ECONNREFUSED)
    #expect(listen(listener.number, 1) == 0)
    #expect(UnixSocket.connect(client.number, to: path) == 0)
    #expect(UnixSocket.boundPath(listener.number) == path)
    #expect(UnixSocket.boundPath(client.number) == nil)
  }

  @Test(arguments: [true, false]) func `a full queue is waited for as long as patience lasts`(isPatient: Bool) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("socket")
    let listener = Descriptor(taking: UnixSocket.make())
    try #require(UnixSocket.bind(listener.number, to: path) == 0 && listen(listener.number, 0) == 0)
    let first = Descriptor(taking: UnixSocket.make())
    #expect(UnixSocket.connect(first.number, to: path) == 0)
    let second = Descriptor(taking: UnixSocket.make())
    let patience: Duration? = isPatient ? .milliseconds(10) : nil
    #expect(UnixSocket.connect(second.number, to: path, waitingInQueue: patience) == -EAGAIN)
  }

  @Test(arguments: [107, 108]) func `a path longer than an address is refused before any call`(length: Int) {
    let path = "/" + String(repeating: "x", count: length - 1)
    let client = Descriptor(taking: UnixSocket.make())
    #expect(UnixSocket.connect(client.number, to: path) == (length > 107 ? -ENAMETOOLONG : -ENOENT))
  }

  @Test func `bytes go one way and come the other; silence and the end are distinguished`() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let other = Descriptor(taking: ends[0])
    var room = [UInt8](repeating: 0, count: 8)
    func receive() -> SocketIO.Received { room.withUnsafeMutableBytes { SocketIO.receive(other.number, into: $0) } }
    guard case .nothing = receive() else { return #expect(Bool(false), "something came before it was sent") }
    #expect([1, 2, 3].withUnsafeBytes { SocketIO.send(ends[1], $0) } == 24)
    guard case .bytes(8) = receive() else { return #expect(Bool(false), "8 of 24 bytes were asked for") }
    close(ends[1])
    while case .bytes = receive() {}
    guard case .end = receive() else { return #expect(Bool(false), "the end was not reported") }
    #expect([1].withUnsafeBytes { SocketIO.send(other.number, $0) } == nil && errno == EPIPE)
  }
}

@Suite("Process")
struct ProcessTests {
  /// In a process of its own: another thread of this one may read the variables while one is set.
  @Test func `a variable that is empty has no value`() async {
    await #expect(processExitsWith: .success) {
      setenv("CITIES_TEST_EMPTY", "", 1)
      setenv("CITIES_TEST_SET", "a=b", 1)
      #expect(ProcessEnvironment.variable("CITIES_TEST_EMPTY") == "")
      #expect(ProcessEnvironment.value("CITIES_TEST_EMPTY") == nil)
      #expect(ProcessEnvironment.value("CITIES_TEST_NONE") == nil)
      #expect(ProcessEnvironment.variables["CITIES_TEST_SET"] == "a=b")
    }
  }

  @Test func `links are resolved, and what is missing has no path`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("file", [])
    #expect(symlink(file, folder.path("link")) == 0)
    #expect(resolvedPath(folder.path("link")) == resolvedPath(file))
    #expect(resolvedPath(folder.path("none")) == nil)
    #expect(ProcessEnvironment.program?.hasPrefix("/") == true)
  }

  @Test func `a detached thread runs once, and its signal is waited for`() {
    let done = Semaphore()
    #expect(startDetachedThread { done.signal() })
    done.wait()
  }

  @Test func `the monotonic clock never goes back, and seconds are those of the time of day`() {
    let before = MonotonicClock.nanoseconds()
    #expect(MonotonicClock.nanoseconds() >= before)
    var (earlier, later) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &earlier)
    let times = [SystemClock.seconds(), SystemClock.nanoseconds() / 1_000_000_000]
    clock_gettime(CLOCK_REALTIME, &later)
    #expect(times.allSatisfy((Int64(earlier.tv_sec)...Int64(later.tv_sec)).contains))
  }
}
