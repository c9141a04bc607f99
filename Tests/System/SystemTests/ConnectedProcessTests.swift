import Glibc
import System
import Testing

/// Whether a process with this id is there, as a zombie too.
private func exists(_ id: pid_t) -> Bool { kill(id, 0) == 0 }

/// What `process` sends until it hangs up, or `count` bytes of it.
private func receive(_ process: ConnectedProcess, atLeast count: Int = .max) -> String {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4_096)
  while bytes.count < count {
    waitUntilReady(process.descriptor, for: POLLIN)
    let received = recv(process.descriptor, &buffer, buffer.count, 0)
    guard received > 0 else { break }
    bytes += buffer[..<received]
  }
  return String(decoding: bytes, as: UTF8.self)
}

private func shell(_ script: String) throws -> ConnectedProcess { try ConnectedProcess("/bin/sh", ["-c", script]) }

/// Ends the program that `start` starts; another one if it was killed, as a second may be too short on a busy machine.
private func ending(_ start: () throws -> ConnectedProcess) rethrows -> ProgramEnding {
  var ending = try start().end()
  for _ in 0..<9 where ending == .killed(SIGKILL) { ending = try start().end() }
  return ending
}

@Suite("Connected processes")
struct ConnectedProcessTests {
  @Test func `the program talks over its standard input`() throws {
    let process = try shell("read line; echo \"got $line\" >&0")
    #expect(send(process.descriptor, "hello\n", 6, Int32(MSG_NOSIGNAL)) == 6)
    #expect(receive(process) == "got hello\n")
    #expect(process.end() == .exited(0))
  }

  @Test func `it has three descriptors, a session of its own and no blocked signal`() throws {
    let leaked = open("/dev/null", O_RDONLY)
    defer { close(leaked) }
    let waiting = try shell("echo $$ >&0; read line")
    let id = receive(waiting, atLeast: 2).filter(\.isNumber)
    // While it runs echo, the shell has a copy of its standard output.
    let isClean = try (0..<1_000).contains { _ in
      try ProgramRun("/bin/ls", ["/proc/\(id)/fd"], seconds: 60).output == ["0", "1", "2"]
    }
    #expect(isClean)
    let process = try shell("ps -o sid= -p $$ >&0; echo $$ >&0; exec grep SigBlk /proc/self/status >&0")
    let words = receive(process).split { $0.isWhitespace }.map(String.init)
    #expect(words.count == 4 && words[0] == words[1])
    #expect(words.contains("0000000000000000"))
  }

  @Test func `it ends with the conversation, and leaves no zombie`() throws {
    var ids: [pid_t] = []
    let ending = try ending {
      let process = try shell("echo $$ >&0; cat >/dev/null; exit 7")
      ids.append(try #require(pid_t(receive(process, atLeast: 2).filter(\.isNumber))))
      #expect(exists(ids[ids.count - 1]))
      return process
    }
    #expect(ending == .exited(7))
    #expect(!ids.contains(where: exists))
  }

  @Test func `a program that goes on after its input is told to end`() throws {
    let ending = try ending {
      let process = try shell("trap 'exit 3' TERM; echo ready >&0; while :; do sleep 0.01; done")
      #expect(receive(process, atLeast: 6) == "ready\n")
      process.goesOn = true
      return process
    }
    #expect(ending == .exited(3))
  }

  @Test func `a program that does not leave is killed`() throws {
    let stubborn = try shell("exec sleep 1000")
    #expect(stubborn.end() == .killed(SIGKILL))
  }

  @Test func `the last line of its standard error explains its end`() throws {
    var process: ConnectedProcess?
    let ending = try ending {
      let started = try shell("echo first >&2; echo why >&2; exit 2")
      process = started
      return started
    }
    #expect(ending == .exited(2))
    #expect(process?.lastMessage == "why")
  }

  @Test func `a program that is missing is an error at once`() {
    let error = #expect(throws: SystemError.self) { try ConnectedProcess("/nonexistent/program", []) }
    #expect(error?.code == ENOENT)
  }

  @Test func `a run collects both streams, its status, and what takes too long is killed`() throws {
    let run = try ProgramRun("/bin/sh", ["-c", "echo one; echo two; echo no >&2; exit 3"], seconds: 60)
    #expect(run.ending == .exited(3))
    #expect(run.output == ["one", "two"] && run.messages == ["no"])
    #expect(try ProgramRun("/bin/sleep", ["1000"], seconds: 0).ending == .killed(SIGKILL))
  }
}
