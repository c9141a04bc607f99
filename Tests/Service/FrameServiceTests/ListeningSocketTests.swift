import Glibc
import System
import TestSupport
import Testing

@testable import FrameService

@Suite struct ListeningSocketTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("x.sock")
  }

  private func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test(arguments: [UInt32(0o600), 0o660, 0o666]) func `the mode is the one asked for`(wanted: UInt32) throws {
    let socket = try ListeningSocket(binding: path, mode: wanted)
    defer { close(socket.descriptor) }
    #expect(mode(path) == wanted)
    #expect(!socket.isActivated)
  }

  /// Binds the path once no process that another test starts has a copy of the earlier socket.
  private func bindAgain() throws -> ListeningSocket {
    var socket: ListeningSocket?
    _ = eventually {
      socket = try? ListeningSocket(binding: path, mode: 0o600)
      return socket != nil
    }
    return try #require(socket)
  }

  @Test func `a stale socket is replaced`() throws {
    let old = try ListeningSocket(binding: path, mode: 0o600)
    close(old.descriptor)
    let new = try bindAgain()
    defer { close(new.descriptor) }
    _ = try RawClient(path)
  }

  @Test func `a socket that is served is left alone`() throws {
    let served = try ListeningSocket(binding: path, mode: 0o600)
    defer { close(served.descriptor) }
    #expect(throws: SystemError("bind", path, result: EADDRINUSE)) { try ListeningSocket(binding: path, mode: 0o600) }
    _ = try RawClient(path)
  }

  @Test func `a server that has bound its socket and does not listen yet is left alone`() throws {
    // On a busy machine the thread may come too late once.
    let isLeft = try (0..<20).contains { _ in
      unlink(path)
      let first = UnixSocket.make()
      defer { close(first) }
      try #require(UnixSocket.bind(first, to: path) == 0)
      let listening = BackgroundThread {
        usleep(5_000)
        listen(first, 1)
      }
      defer { listening.join() }
      do { close(try ListeningSocket(binding: path, mode: 0o600).descriptor) } catch {
        return (error as? SystemError) == SystemError("bind", path, result: EADDRINUSE)
      }
      return false
    }
    #expect(isLeft && Repository.exists(path))
  }

  @Test func `a file that is no socket is left alone`() throws {
    try folder.write("x.sock", [1, 2, 3])
    #expect(throws: SystemError("bind", path, result: EADDRINUSE)) { try ListeningSocket(binding: path, mode: 0o600) }
    #expect(try Repository.bytes(path) == [1, 2, 3])
  }

  @Test func `a path that is too long is refused by name`() {
    let long = folder.path(String(repeating: "x", count: 120))
    #expect(throws: SystemError("bind", long, result: ENAMETOOLONG)) { try ListeningSocket(binding: long, mode: 0o600) }
  }

  @Test func `leaving removes the socket that was made`() throws {
    let socket = try ListeningSocket(binding: path, mode: 0o600)
    defer { close(socket.descriptor) }
    socket.removePath()
    #expect(!Repository.exists(path))
  }

  @Test func `leaving leaves the socket of a successor`() throws {
    let first = try ListeningSocket(binding: path, mode: 0o600)
    close(first.descriptor)
    // The inode of the first is kept in use, or the file system could give the second the same number.
    link(path, folder.path("kept"))
    let second = try bindAgain()
    defer { close(second.descriptor) }
    first.removePath()
    #expect(Repository.exists(path))
  }

  @Test func `a path that was removed is left alone from then on, even if a successor got the same inode`() throws {
    let socket = try ListeningSocket(binding: path, mode: 0o600)
    link(path, folder.path("kept"))
    socket.removePath()
    close(socket.descriptor)
    // A file system may give a freed inode to the next socket.
    rename(folder.path("kept"), path)
    socket.removePath()
    #expect(Repository.exists(path))
  }
}
