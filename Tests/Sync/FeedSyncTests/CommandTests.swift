import CitiesProtocol
import FeedSync
import Glibc
import Resident
import TestSupport
import Testing

/// The program that was built beside the tests.
private let program: String? = {
  guard
    let tests = realpath("/proc/self/exe", nil).map({ pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    })
  else { return nil }
  let beside = tests.split(separator: "/").dropLast().joined(separator: "/")
  let candidates = ["/\(beside)/citiesd-sync", Repository.path(".build/debug/citiesd-sync")]
  return candidates.first { access($0, X_OK) == 0 }
}()

/// What a run of the program came to.
private struct Outcome: Equatable {
  var code: Int32
  var output: String
  var errors: String
}

/// The command line as scripts see it: exit codes, what goes to stdout and what to stderr.
@Suite("citiesd-sync", .enabled(if: program != nil, "citiesd-sync was not built"), .timeLimit(.minutes(5)))
struct CommandTests {
  /// Above most numbers of descriptors that tests open; closing one that is not open does nothing.
  private static let highestDescriptor: Int32 = 256

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs the program with an environment of its own.
  private func run(_ arguments: String..., feed: String? = nil, output: String? = nil) throws -> Outcome {
    try run(arguments, feed: feed, output: output)
  }

  private func run(_ arguments: [String], feed: String? = nil, output: String? = nil) throws -> Outcome {
    let (outputPath, errorPath) = (output ?? folder.path("stdout"), folder.path("stderr"))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // Files and connections of tests that run meanwhile would stay open as long as the program runs.
    for number in 3..<Self.highestDescriptor { posix_spawn_file_actions_addclose(&actions, number) }
    let name = try #require(program)
    var environment = ["CITIES_STATE=\(folder.path("state"))", "CITIES_SYNC_CONFIG=\(folder.path("sync.json"))"]
    if let feed { environment.append("CITIES_FEED_CITIES=\(feed)") }
    // No test asks the real servers.
    for feed in FeedName.all where feed != .cities { environment.append("\(SyncConfiguration.variable(of: feed))=") }
    if !Repository.exists(folder.path("sync.json")) { try folder.write("sync.json", Array("{}".utf8)) }
    var id = pid_t()
    let result = withCStrings([name] + arguments) { arguments in
      withCStrings(environment) { posix_spawn(&id, name, &actions, nil, arguments, $0) }
    }
    try #require(result == 0)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    try #require(status & 0x7f == 0, "ended by signal \(status & 0x7f)")
    return Outcome(
      code: status >> 8 & 0xff, output: output == nil ? try Repository.text(outputPath) : "",
      errors: try Repository.text(errorPath))
  }

  @Test func `build makes an index that verify finds sound`() throws {
    let source = try folder.write("list", list(record(1, "A"), record(2, "")))
    let (index, built) = (folder.path("out"), try run("build", source, folder.path("out")))
    let generation = try ResidentCities(path: index).generation
    #expect(
      built
        == Outcome(
          code: 0,
          output:
            "\(index): 2 records read: 1 kept, 0 repeated, 0 replaced, 1 skipped, generation \(generation)\n",
          errors: "citiesd-sync: \(source): record 2 skipped: the name is empty\n"))
    let verified = try run("verify", index)
    #expect(verified.code == 0 && verified.output.hasPrefix("\(index): sound city index, generation \(generation)"))
  }

  @Test func `run imports, then finds nothing to do, then is forced`() throws {
    let one = "1 records read: 1 kept, 0 repeated, 0 replaced, 0 skipped"
    let source = try folder.write("list", list(record(1, "A")))
    #expect(
      try run("run", "cities", feed: source)
        == Outcome(code: 0, output: "cities: imported, \(one)\n", errors: ""))
    let all = try run("run", feed: source)
    #expect(all.code == 0 && all.errors.isEmpty && all.output.hasPrefix("cities: unchanged, \(one)\n"))
    #expect(try run("run", "cities", feed: "file://\(source)").output == "cities: unchanged, \(one)\n")
    #expect(try run("run", "--force", "cities", feed: source).output == "cities: imported, \(one)\n")
    #expect(try ResidentFeeds.read(folder.path("state/feeds.resident")).map(\.records) == [1])
  }

  @Test func `a named feed without a source is 69, with what to set`() throws {
    let outcome = try run("run", "cities")
    #expect(outcome.code == 69 && outcome.output == "cities: unconfigured\n")
    #expect(try run("run").code == 69)
    #expect(outcome.errors.contains("set CITIES_FEED_CITIES, or feeds.cities.url in \(folder.path("sync.json"))"))
  }

  @Test func `bad data is 65, also for run, and what is served stays`() throws {
    let source = try folder.write("list", list(record(1, "A")))
    #expect(try run("run", feed: source).code == 0)
    let served = try Repository.bytes(folder.path("state/cities.index"))
    try folder.write("list", Array("{}".utf8))
    let failed = try run("run", feed: source)
    #expect(failed.code == 65 && failed.output.hasPrefix("cities: failed, 1 records\n"))
    #expect(failed.errors.contains("expected a JSON array of cities, found an object"))
    #expect(try Repository.bytes(folder.path("state/cities.index")) == served)
    #expect(try run("build", source, folder.path("out")).code == 65)
    #expect(!Repository.exists(folder.path("out")))
    #expect(try run("verify", source).code == 65)
    try folder.write("sync.json", Array("[".utf8))
    #expect(try run("run", feed: source).code == 65)
  }

  @Test func `an empty list is refused unless requested`() throws {
    let source = try folder.write("list", Array("[]".utf8))
    #expect(try run("build", source, folder.path("out")).code == 65)
    #expect(try run("build", "--allow-empty", source, folder.path("out")).code == 0)
    #expect(try run("verify", folder.path("out")).code == 0)
  }

  @Test(
    arguments: [["walk"], ["run", "citys"], ["run", "--fast"], ["build", "x"], ["build", "x", "-"], ["verify"]])
  func `wrong use is 2, on stderr`(arguments: [String]) throws {
    let outcome = try run(arguments)
    #expect(!Repository.exists("-"))
    #expect(outcome.code == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("citiesd-sync: ") && outcome.errors.hasSuffix("Try: citiesd-sync --help\n"))
  }

  @Test func `help and version are answers: stdout, 0`() throws {
    #expect(try run("--version") == Outcome(code: 0, output: "citiesd-sync 0.1.0\n", errors: ""))
    let help = try run("--help")
    #expect(help.code == 0 && help.errors.isEmpty && help.output.contains("Exit status:"))
    #expect(try run().output == help.output)
  }

  @Test func `what cannot be read or written is 74, also a full disk`() throws {
    let source = try folder.write("list", list(record(1, "A")))
    #expect(try run("build", folder.path("none"), folder.path("out")).code == 74)
    #expect(try run("build", source, folder.path("none/out")).code == 74)
    #expect(try run("verify", folder.path("none")).code == 74)
    #expect(try run("run", feed: folder.path("none")).code == 74)
    #expect(try run("run", feed: source, output: "/dev/full").code == 74)
    #expect(try run("build", source, folder.path("out"), output: "/dev/full").code == 74)
    #expect(try run("verify", folder.path("out"), output: "/dev/full").code == 74)
    #expect(try run("--help", output: "/dev/full").code == 74)
  }

  @Test func `what a feed cannot read is 69`() throws {
    let failed = try run("run", feed: "gopher://example.org/cities.json")
    #expect(failed.code == 69 && failed.errors.contains("the scheme gopher: is not read"))
    #expect(try run("run", feed: "http://127.0.0.1:1/cities.json").errors.contains("no connection: connection refused"))
  }

  @Test func `an index that is elsewhere than the state folder is rebuilt by build`() throws {
    let source = try folder.write("list", list(record(1, "A")))
    #expect(try run("run", "cities", feed: source).code == 0)
    for (name, advice) in [
      ("state/cities.index", "run --force cities"), ("o.index", "build LIST \(folder.path("o.index"))"),
    ] {
      try folder.write(name, Array("no index".utf8))
      #expect(try run("verify", folder.path(name)).errors.hasSuffix("rebuild it: citiesd-sync \(advice)\n"))
    }
  }
}

/// Lends `texts` as a C array that ends with a null.
private func withCStrings<Value>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
) -> Value {
  var pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("there is at least the null") }
    return body(start)
  }
}
