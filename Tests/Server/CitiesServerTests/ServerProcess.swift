import Glibc
import TestSupport

/// The program `citiesd`, run as a process with an environment of its own.
final class ServerProcess {
  let folder: TemporaryFolder
  private(set) var pid: pid_t = 0
  private var status: Int32?

  /// The program beside the tests; nil if it was not built.
  static let program: String? = {
    let path = Repository.path(".build/debug/citiesd")
    let own = CommandLine.arguments[0].split(separator: "/").dropLast(1)
    let beside = "/" + own.joined(separator: "/") + "/citiesd"
    return [beside, path].first(where: Repository.exists)
  }()

  /// The optimized program that `contrib/build` makes; nil if there is none, or it is older than its source.
  static let optimizedProgram: String? = {
    let path = Repository.path(".build-out/bin/citiesd")
    let sources = Repository.files(under: "Sources") + Repository.files(under: "Protocol")
    let newest = sources.filter { $0.hasSuffix(".swift") }.map { changed(Repository.path($0)) }.max() ?? 0
    return changed(path) > newest ? path : nil
  }()

  private static func changed(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mtim.tv_sec : 0
  }

  /// Above the numbers that matter to a server with a low limit; closing one that is not open does nothing.
  private static let highestDescriptor = 256

  /// The socket, if no other is given.
  var socket: String { folder.path("c.sock") }
  /// What it has written to stderr.
  var log: String { (try? Repository.text(folder.path("log"))) ?? "" }

  /// Starts it through `/bin/sh`, which runs `prepare` first; `listener` becomes its descriptor 3.
  init(
    _ arguments: [String] = [], environment: [String: String] = [:], prepare: String = "", listener: Int32 = -1,
    program: String? = ServerProcess.program
  ) throws {
    folder = try TemporaryFolder()
    mkdir(folder.path("state"), 0o700)
    try SmallWorld.write(to: folder.path("state/cities.index"))
    var variables = [
      "CITIES_SOCKET": folder.path("c.sock"), "CITIES_STATE": folder.path("state"), "PATH": "/usr/bin:/bin",
    ]
    variables.merge(environment) { $1 }
    let script = "\(prepare)\nexec \"$0\" \"$@\" 2>\(folder.path("log")) >\(folder.path("out"))"
    try spawn(["/bin/sh", "-c", script, program ?? ""] + arguments, variables, listener)
  }

  deinit {
    kill(pid, SIGKILL)
    _ = wait()
  }

  private func spawn(_ arguments: [String], _ variables: [String: String], _ listener: Int32) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if listener >= 0 { posix_spawn_file_actions_adddup2(&actions, listener, 3) }
    // Tests that run meanwhile have descriptors open: those that a server inherits count against its limit.
    for number in (listener >= 0 ? 4 : 3)..<Self.highestDescriptor {
      posix_spawn_file_actions_addclose(&actions, Int32(number))
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    let result = posix_spawn(&pid, arguments[0], &actions, nil, argv, envp)
    guard result == 0 else { throw NotStarted(reason: String(cString: strerror(result))) }
  }

  struct NotStarted: Error { var reason: String }

  /// A client, once it listens.
  func client() throws -> RawClient {
    // Between bind and listen the socket is there and refuses.
    var client: RawClient?
    _ = eventually {
      client = try? RawClient(socket)
      return client != nil
    }
    return try client ?? RawClient(socket)
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for its end; its exit code, or minus the signal that ended it.
  func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(pid, &raw, 0) < 0, errno == EINTR {}
    let ended = raw & 0x7F == 0 ? raw >> 8 & 0xFF : -(raw & 0x7F)
    status = ended
    return ended
  }

  /// What it has written to stdout.
  var output: String { (try? Repository.text(folder.path("out"))) ?? "" }
}
