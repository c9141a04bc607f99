import CLinux
import Glibc

/// A program started by this process, connected by a pair of sockets.
///
/// The program gets one socket as its standard input, no other descriptors of this process, and its own session:
/// neither Ctrl-C nor a closed terminal reaches it. It is expected to exit when the connection closes, as happens
/// however this process ends. ``end()`` waits for its exit, so that no zombie is left.
///
/// ```swift
/// let server = try ConnectedProcess("/usr/bin/citiesd", ["--private"])
/// // … talk over server.descriptor
/// server.end()
/// ```
package final class ConnectedProcess {
  /// Milliseconds that ``end()`` waits for the program to exit before it kills it.
  private static let timeout: Int64 = 1_000

  /// The program's path.
  package let program: String
  /// This process's socket; it never blocks.
  package let descriptor: Int32
  private let messages: Int32
  private let id: pid_t
  /// Whether ``end()`` sends SIGTERM: a program that has promised events goes on after the end of its input.
  package var goesOn = false
  private var ending: ProgramEnding?

  /// Starts `program` with `arguments` and the environment of this process.
  ///
  /// - Throws: ``SystemError``, with the code of execve(2) if there is no such program or it may not be run.
  package init(_ program: String, _ arguments: [String]) throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    defer { close(other) }
    // Most programs mistake an empty non-blocking input for its end.
    _ = fcntl(other, F_SETFL, fcntl(other, F_GETFL) & ~O_NONBLOCK)
    // A pipe would have to be drained constantly; a file in memory keeps the lines until they are read.
    let messages = beyondStandardStreams(linux_memory_file("messages"))
    let id = messages < 0 ? messages : startProgram(program, arguments, input: other, output: -1, messages: messages)
    guard id > 0 else {
      close(own)
      if messages >= 0 { close(messages) }
      throw SystemError("start", program, result: id)
    }
    (self.program, descriptor, self.messages, self.id) = (program, own, messages, id)
  }

  deinit {
    end()
    close(messages)
    close(descriptor)
  }

  /// Ends the program's input and waits for its exit; kills it after a second.
  @discardableResult
  package func end() -> ProgramEnding {
    if let ending { return ending }
    shutdown(descriptor, Int32(SHUT_WR))
    if goesOn { kill(id, SIGTERM) }
    if !waitForHangUp() { kill(id, SIGKILL) }
    let ending = ProgramEnding(waitingFor: id)
    self.ending = ending
    return ending
  }

  /// The last line that the program has written to standard error; empty if there is none.
  package var lastMessage: String {
    lines(in: content(of: messages)).last ?? ""
  }

  /// Discards input until the program closes its socket; `false` on timeout.
  private func waitForHangUp() -> Bool {
    let end = MonotonicClock.milliseconds() + Self.timeout
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return true }
      let rest = end - MonotonicClock.milliseconds()
      guard rest > 0 else { return false }
      guard count < 0 else { continue }
      waitUntilReady(descriptor, for: POLLIN, milliseconds: Int32(rest))
    }
  }
}

/// How a program ended.
package enum ProgramEnding: Equatable, Sendable {
  /// It exited with this status.
  case exited(Int32)
  /// It was killed by this signal.
  case killed(Int32)
  /// Unknown: other code has already collected its status.
  case unknown

  /// Waits for a child process to end.
  package init(waitingFor id: Int32) {
    var status: Int32 = 0
    var result = waitpid(id, &status, 0)
    while result < 0, errno == EINTR { result = waitpid(id, &status, 0) }
    let signal = status & 0x7f
    self = result < 0 ? .unknown : signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
  }

  /// Runs this program with other arguments, standard input and output to its end, or until it is killed because
  /// `goesOn` is false.
  ///
  /// It keeps standard error, and runs the same file even if an upgrade has replaced it.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - input: Its standard input.
  ///   - output: Its standard output.
  ///   - goesOn: Called every few milliseconds with the milliseconds since the start.
  /// - Throws: ``SystemError`` if it cannot be started.
  package init(
    ofThisProgram arguments: [String], input: Int32, output: Int32, while goesOn: (Int64) -> Bool
  ) throws(SystemError) {
    let program = resolvedPath("/proc/self/exe") ?? "/proc/self/exe"
    let id = startProgram(program, arguments, input: input, output: output, messages: STDERR_FILENO)
    guard id > 0 else { throw SystemError("start", program, result: id) }
    self.init(waitingFor: id, while: goesOn)
  }

  /// Waits for a child process to end; kills it if `goesOn`, which gets the elapsed milliseconds, is false.
  init(waitingFor id: Int32, while goesOn: (Int64) -> Bool) {
    let start = MonotonicClock.milliseconds()
    var information = siginfo_t()
    // Not waitpid(2), which would consume the status.
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0, information.si_signo == 0 {
      let elapsed = MonotonicClock.milliseconds() - start
      guard goesOn(elapsed) else {
        kill(id, SIGKILL)
        break
      }
      MonotonicClock.pause(milliseconds: Int32(min(Self.longestPause, Self.pause + elapsed / 32)))
    }
    self.init(waitingFor: id)
  }

  /// The pause between two looks at a program that has just started, and the longest one, in milliseconds.
  private static let (pause, longestPause) = (Int64(2), Int64(50))
}

/// A completed run of a program: its ending and its output.
package struct ProgramRun: Sendable {
  /// How it ended.
  package let ending: ProgramEnding
  /// Its standard output.
  package let bytes: [UInt8]
  /// The lines of its standard output.
  package var output: [String] { lines(in: bytes) }
  /// The lines of its standard error.
  package let messages: [String]

  /// Runs `program` to its end; kills it after `seconds`.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments.
  ///   - input: Its standard input.
  ///   - seconds: The time limit.
  ///   - whileRunning: Called every few milliseconds until it ends.
  /// - Throws: ``SystemError``, with the code of execve(2) if there is no such program or it may not be run.
  package init(
    _ program: String, _ arguments: [String], input: [UInt8]? = nil, seconds: Int64, whileRunning: () -> Void = {}
  ) throws(SystemError) {
    let output = beyondStandardStreams(linux_memory_file("output"))
    let messages = beyondStandardStreams(linux_memory_file("messages"))
    let given = input == nil ? -1 : beyondStandardStreams(linux_memory_file("input"))
    if let input, writeAll(input, to: given) == 0 { lseek(given, 0, SEEK_SET) }
    defer { for file in [output, messages, given] where file >= 0 { close(file) } }
    let failed = min(output, messages)
    let id = failed < 0 ? failed : startProgram(program, arguments, input: given, output: output, messages: messages)
    guard id > 0 else { throw SystemError("start", program, result: id) }
    ending = ProgramEnding(waitingFor: id) { elapsed in
      whileRunning()
      return elapsed < seconds * 1_000
    }
    (bytes, self.messages) = (content(of: output), lines(in: content(of: messages)))
  }
}

/// An empty file in memory, which a program that is started may get as its input.
///
/// - Throws: ``SystemError`` if there are too many descriptors.
package func memoryFile(_ name: String) throws(SystemError) -> Int32 {
  let file = beyondStandardStreams(linux_memory_file(name))
  guard file >= 0 else { throw SystemError("memfd_create", name, result: file) }
  return file
}

/// Starts `program`, which is searched in `PATH` if it is a bare name, with the environment of this process.
///
/// It gets its own session, no blocked signals, and no descriptors but the given ones; a negative one means /dev/null.
///
/// - Returns: its process id, or the negative error number.
package func startProgram(
  _ program: String, _ arguments: [String], input: Int32, output: Int32, messages: Int32
) -> Int32 {
  withArguments([program] + arguments) { linux_start(program, $0, environ, input, output, messages) }
}

/// Calls `body` with `words`, a program and its arguments, in the form of execve(2).
package func withArguments<Result>(
  _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  return body(&arguments)
}

/// Most bytes read of a program's output.
private let maximumOutput = 4 << 20

/// The start of a file in memory.
private func content(of file: Int32) -> [UInt8] {
  let size = lseek(file, 0, SEEK_END)
  var bytes = [UInt8](repeating: 0, count: min(max(0, size), maximumOutput))
  let count = pread(file, &bytes, bytes.count, 0)
  return Array(bytes.prefix(max(0, count)))
}

/// The lines of a text, without empty ones.
private func lines(in bytes: [UInt8]) -> [String] {
  bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
}
