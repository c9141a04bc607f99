import CBOR
import CitiesProtocol
import FrameService
import Glibc
import TestSupport
import Testing

@testable import CitiesServer

/// The program as a process: arguments, environment, signals, activation, descriptors.
@Suite(.enabled(if: ServerProcess.program != nil, "citiesd was not built beside the tests"))
struct ProgramTests {
  private func ask(_ client: RawClient, _ id: UInt64 = 1) throws -> UInt64? {
    try client.sendFrame(CBOREncoder().encode(RequestEnvelope(id: id, CitySearch(prefix: "al"))))
    guard let bytes = try client.receiveFrame() else { return nil }
    return try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: bytes).result?.total
  }

  @Test func `help and version go to stdout`() throws {
    let help = try ServerProcess(["--help"])
    #expect(help.wait() == 0 && help.output.contains("usage: citiesd") && help.log.isEmpty)
    let version = try ServerProcess(["--version"])
    #expect(version.wait() == 0 && version.output == "\(ServerVersion.name)\n")
  }

  @Test(arguments: [["--bogus"], ["serve"], ["--help", "me"]])
  func `unknown arguments are wrong use`(
    arguments: [String]
  ) throws {
    let process = try ServerProcess(arguments)
    #expect(process.wait() == 2 && process.output.isEmpty && process.log.contains("citiesd --help"))
  }

  @Test(arguments: [
    ("CITIESD_IDLE_EXIT", "soon"), ("CITIESD_IDLE_EXIT", "0"), ("CITIESD_MAX_CONNECTIONS", "-1"),
    ("CITIESD_MAX_CONNECTIONS_PER_UID", "1e3"),
  ])
  func `a variable that is no number is named`(variable: String, value: String) throws {
    let process = try ServerProcess(environment: [variable: value])
    #expect(process.wait() == 2 && process.log.contains("citiesd: \(variable)=\(value)"))
    #expect(!Repository.exists(process.socket))
  }

  @Test func `a full disk behind stdout is an error`() throws {
    let process = try ServerProcess(["--version"], prepare: "exec 4>/dev/full; exec \"$0\" \"$@\" >&4")
    #expect(process.wait() == 74)
  }

  @Test func `a socket that cannot be bound says why and what to do`() throws {
    let process = try ServerProcess(environment: ["CITIES_SOCKET": "/nonexistent/c.sock"])
    #expect(process.wait() == 74)
    #expect(
      process.log
        == "citiesd: bind /nonexistent/c.sock: No such file or directory; set CITIES_SOCKET to a path that can be bound\n"
    )
  }

  @Test func `a second server on the same socket gives way`() throws {
    let first = try ServerProcess()
    #expect(try ask(first.client()) == 4)
    let second = try ServerProcess(environment: ["CITIES_SOCKET": first.socket])
    #expect(second.wait() == 74 && second.log.contains("something listens there already"))
    #expect(try ask(first.client()) == 4)
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends it with exit 0, and removes the socket`(signal: Int32) throws
  {
    let process = try ServerProcess()
    let client = try process.client()
    #expect(try ask(client) == 4)
    process.signal(signal)
    #expect(process.wait() == 0)
    #expect(!Repository.exists(process.socket))
    #expect(process.log.contains("citiesd: stopped: 1 requests answered (0 with errors), 1 connections, 0 refused"))
  }

  @Test func `SIGHUP looks for files and serves on`() throws {
    let process = try ServerProcess()
    let client = try process.client()
    #expect(try ask(client) == 4)
    for _ in 0..<5 { process.signal(SIGHUP) }
    #expect(try ask(client, 2) == 4)
    process.signal(SIGTERM)
    #expect(process.wait() == 0)
  }

  @Test func `it leaves when idle`() throws {
    let process = try ServerProcess(environment: ["CITIESD_IDLE_EXIT": "1"])
    #expect(process.wait() == 0 && process.log.contains("citiesd: stopping: idle for 1 s"))
  }

  // MARK: Activation

  /// A listening socket, and what the shell must say so that the process takes descriptor 3 for its own.
  private func passed(_ folder: TemporaryFolder, name: String?) throws -> (Int32, String) {
    let socket = try ListeningSocket(binding: folder.path("passed.sock"), mode: 0o600)
    let names = name.map { "LISTEN_FDNAMES=\($0); export LISTEN_FDNAMES; " } ?? ""
    return (socket.descriptor, "\(names)LISTEN_FDS=1; LISTEN_PID=$$; export LISTEN_FDS LISTEN_PID")
  }

  @Test(arguments: ["citiesd", "citiesd.socket", nil])
  func `a passed socket is served, with who waits there`(
    name: String?
  ) throws {
    let folder = try TemporaryFolder()
    let (listener, prepare) = try passed(folder, name: name)
    let client = try RawClient(folder.path("passed.sock"))
    let process = try ServerProcess(prepare: prepare, listener: listener)
    close(listener)
    #expect(try ask(client) == 4)
    #expect(!Repository.exists(process.socket))
    process.signal(SIGTERM)
    #expect(process.wait() == 0)
    #expect(Repository.exists(folder.path("passed.sock")))
  }

  @Test func `connections that wait at a passed socket are left for the next instance`() throws {
    let folder = try TemporaryFolder()
    let (listener, prepare) = try passed(folder, name: "citiesd")
    defer { close(listener) }
    for _ in 0..<5 {
      let process = try ServerProcess(prepare: prepare, listener: listener)
      let first = try RawClient(folder.path("passed.sock"))
      #expect(try ask(first) == 4)
      process.signal(SIGTERM)
      #expect(process.wait() == 0)
      let waiting = try RawClient(folder.path("passed.sock"))
      let next = try ServerProcess(prepare: prepare, listener: listener)
      #expect(try ask(waiting) == 4)
      withExtendedLifetime(next) {}
    }
  }

  @Test func `a socket of another name is refused`() throws {
    let (listener, prepare) = try passed(TemporaryFolder(), name: "ftp")
    defer { close(listener) }
    let process = try ServerProcess(prepare: prepare, listener: listener)
    #expect(process.wait() == 2 && process.log.contains("named \"citiesd\" from the service manager, got \"ftp\""))
  }

  @Test func `a descriptor that is no listening socket is refused`() throws {
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let process = try ServerProcess(
      prepare: "LISTEN_FDS=1; LISTEN_PID=$$; export LISTEN_FDS LISTEN_PID", listener: file)
    #expect(process.wait() == 2 && process.log.contains("not a listening Unix stream socket"))
  }

  // MARK: Limits

  @Test func `limits come from the environment`() throws {
    let process = try ServerProcess(environment: ["CITIESD_MAX_CONNECTIONS_PER_UID": "2"])
    let clients = try (0..<2).map { _ in try process.client() }
    for client in clients { #expect(try ask(client) == 4) }
    let bytes = try process.client().receiveFrame() ?? []
    let error = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: bytes).error
    #expect(error?.code == .busy && error?.data?.limit == "connections-per-user" && error?.data?.maximum == 2)
  }

  @Test func `without descriptors clients are told so, those inside are served, and the loop does not spin`() throws {
    let process = try ServerProcess(prepare: "ulimit -n 32")
    let first = try process.client()
    #expect(try ask(first) == 4)
    let clients = try (0..<60).map { _ in try RawClient(process.socket) }
    let refused = try #require(try clients.last?.receiveFrame())
    let error = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: refused).error
    #expect(error?.code == .busy && error?.data?.limit == "descriptors")
    #expect(try ask(first, 2) == 4)
    let before = process.processorTime
    usleep(500_000)
    #expect(process.processorTime - before <= 5, "more than 50 ms of 500")
    #expect(try ask(first, 3) == 4)
    for client in clients { client.close() }
    #expect(try eventually { try process.client().answers })
  }
}

extension ServerProcess {
  /// User and system time in hundredths of a second.
  var processorTime: Int {
    let fields = ((try? Repository.text("/proc/\(pid)/stat")) ?? "").split(separator: " ")
    return fields.count > 14 ? (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0) : 0
  }
}

extension RawClient {
  /// Whether a question is answered with a result.
  fileprivate var answers: Bool {
    get throws {
      guard let payload = try? CBOREncoder().encode(RequestEnvelope(id: 1, CitySearch(prefix: ""))),
        (try? sendFrame(payload)) != nil, let bytes = try? receiveFrame()
      else { return false }
      return try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: bytes).result != nil
    }
  }
}
