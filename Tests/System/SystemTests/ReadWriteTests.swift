import Folders
import Glibc
import System
import TestSupport
import Testing

@Suite("Reading and writing")
struct ReadWriteTests {
  /// A pipe whose ends are closed with the test.
  private struct Pipe {
    let output: Descriptor
    let input: Descriptor

    init() throws {
      var ends: [Int32] = [0, 0]
      try #require(pipe(&ends) == 0)
      (output, input) = (Descriptor(taking: ends[0]), Descriptor(taking: ends[1]))
    }
  }

  @Test func `more than a non-blocking pipe holds is written whole, in order`() throws {
    let pipe = try Pipe()
    _ = fcntl(pipe.input.number, F_SETFL, O_NONBLOCK)
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let writer = BackgroundThread {
      _ = writeAll(bytes, to: pipe.input.number)
      shutdownWriting(pipe.input.number)
    }
    let received = try readAll(pipe.output.number, "pipe", limit: bytes.count)
    writer.join()
    #expect(received == bytes)
  }

  @Test(arguments: ["/dev/full"]) func `a write that fails reports its error number`(path: String) throws {
    let file = Descriptor(taking: open(path, O_WRONLY | O_CLOEXEC))
    #expect(writeAll([1], to: file.number) == ENOSPC)
    #expect(writeAll([], to: file.number) == 0)
    #expect(writeAll([1], to: -1) == EBADF)
  }

  @Test(arguments: [0, 1, 9, 10, 1_000])
  func `reading stops one byte beyond the limit, whatever size was expected`(expected: Int) throws {
    let folder = try TemporaryFolder()
    for size in [0, 1, 9, 10, 11, 300_000] {
      let path = try folder.write("file", [UInt8](repeating: 7, count: size))
      let file = Descriptor(taking: open(path, O_RDONLY | O_CLOEXEC))
      #expect(try readAll(file.number, path, limit: 10, expecting: expected).count == min(size, 11))
    }
  }

  @Test func `a failed read names the file and the call`() throws {
    let error = #expect(throws: SystemError.self) { try readAll(-1, "/some/file", limit: 10) }
    #expect(error?.description == "/some/file: read: Bad file descriptor")
    #expect(error?.operationFirst == "read /some/file: Bad file descriptor")
  }
}

/// Closes the writing end of a pipe early, by putting a descriptor that cannot be written in its place.
private func shutdownWriting(_ descriptor: Int32) {
  let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
  dup2(null, descriptor)
  close(null)
}
