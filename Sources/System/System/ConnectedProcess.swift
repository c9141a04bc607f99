import CLinux
import Glibc

/// A program that this process has started for a conversation over two connected sockets.
///
/// The program has one of them as its standard input, nothing else of this process's descriptors, and its own session:
/// neither Ctrl-C nor the end of the terminal reaches it. It is expected to leave when the conversation ends, which the
/// kernel reports to it in whatever way this process ends. ``end()`` waits for that, so that no zombie is left.
///
/// ```swift
/// let server = try ConnectedProcess("/usr/bin/citiesd", ["--private"])
/// // … talk over server.descriptor
/// server.end()
/// ```
package final class ConnectedProcess {
  /// How long ``end()`` waits for the program to leave before it is killed, in milliseconds.
  private static let patience: Int64 = 1_000

  /// The program's path.
  package let program: String
  /// This process's socket; it never blocks.
  package let descriptor: Int32
  private let messages: Int32
  private let id: pid_t
  private var ending: ProgramEnding?

  /// Starts `program` with `arguments` and the environment of this process.
  ///
  /// - Throws: ``SystemError``, with the code of execve(2) if there is no such program or it may not be run.
  package init(_ program: String, _ arguments: [String]) throws(SystemError) {
    let (own, other) = try UnixSocket.pair()
    defer { close(other) }
    // Most programs take an empty non-blocking input for its end.
    _ = fcntl(other, F_SETFL, fcntl(other, F_GETFL) & ~O_NONBLOCK)
    // A pipe would have to be emptied all the time; a file in memory keeps its lines until they are read.
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

  /// Ends the conversation and waits until the program has left; after a second it is killed.
  @discardableResult
  package func end() -> ProgramEnding {
    if let ending { return ending }
    shutdown(descriptor, Int32(SHUT_WR))
    if !waitForHangUp() { kill(id, SIGKILL) }
    let ending = ProgramEnding(waitingFor: id)
    self.ending = ending
    return ending
  }

  /// The last line that the program has written on standard error; empty if there is none.
  package var lastMessage: String {
    lines(of: messages).last ?? ""
  }

  /// Reads and drops what still comes, until the program has closed its socket; `false` if it does not in time.
  private func waitForHangUp() -> Bool {
    let end = MonotonicClock.milliseconds() + Self.patience
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
  /// By itself, with this status.
  case exited(Int32)
  /// By this signal.
  case killed(Int32)
  /// Unknown: other code has already waited for it.
  case unknown

  /// Waits for the end of a child.
  package init(waitingFor id: Int32) {
    var status: Int32 = 0
    var result = waitpid(id, &status, 0)
    while result < 0, errno == EINTR { result = waitpid(id, &status, 0) }
    let signal = status & 0x7f
    self = result < 0 ? .unknown : signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal)
  }
}

/// The end of a program that ran on its own, and what it has written.
package struct ProgramRun: Sendable {
  /// How it ended.
  package let ending: ProgramEnding
  /// The lines of its standard output.
  package let output: [String]
  /// The lines of its standard error.
  package let messages: [String]

  /// Runs `program`, which reads nothing, to its end; after `seconds` it is killed.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - arguments: Its arguments.
  ///   - seconds: The longest time that it may take.
  ///   - whileRunning: Called every few milliseconds until it has ended.
  /// - Throws: ``SystemError``, with the code of execve(2) if there is no such program or it may not be run.
  package init(
    _ program: String, _ arguments: [String], seconds: Int64, whileRunning: () -> Void = {}
  ) throws(SystemError) {
    let output = beyondStandardStreams(linux_memory_file("output"))
    let messages = beyondStandardStreams(linux_memory_file("messages"))
    defer { for file in [output, messages] where file >= 0 { close(file) } }
    let failed = min(output, messages)
    let id = failed < 0 ? failed : startProgram(program, arguments, input: -1, output: output, messages: messages)
    guard id > 0 else { throw SystemError("start", program, result: id) }
    let end = MonotonicClock.milliseconds() + seconds * 1_000
    var information = siginfo_t()
    // Not waitpid(2): it would take the status away.
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0, information.si_signo == 0 {
      guard MonotonicClock.milliseconds() < end else {
        kill(id, SIGKILL)
        break
      }
      whileRunning()
      MonotonicClock.pause(milliseconds: Self.lookPause)
    }
    ending = ProgramEnding(waitingFor: id)
    (self.output, self.messages) = (lines(of: output), lines(of: messages))
  }

  /// The time between two looks at whether it has ended, in milliseconds.
  private static let lookPause: Int32 = 2
}

/// Starts `program`, which is looked for in `PATH` if it is a bare name, with the environment of this process.
///
/// It has its own session and no blocked signals, and of this process's descriptors none but the given ones; a negative
/// one stands for /dev/null.
///
/// - Returns: its process id, or the negative error number.
package func startProgram(
  _ program: String, _ arguments: [String], input: Int32, output: Int32, messages: Int32
) -> Int32 {
  withArguments([program] + arguments) { linux_start(program, $0, environ, input, output, messages) }
}

/// Calls `body` with `words` as execve(2) takes them: the name of the program, and its arguments.
package func withArguments<Result>(
  _ words: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  return body(&arguments)
}

/// Bytes of a program's output that are read.
private let maximumOutput = 4 << 20

/// The lines in a file in memory, without empty ones.
private func lines(of file: Int32) -> [String] {
  let size = lseek(file, 0, SEEK_END)
  var bytes = [UInt8](repeating: 0, count: min(max(0, size), maximumOutput))
  let count = pread(file, &bytes, bytes.count, 0)
  return bytes.prefix(max(0, count)).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
}
