import Glibc
import TestSupport
import Testing

@testable import FrameService

@Suite struct FolderWatchTests {
  /// Counts the reports of a watch of `folder` while `change` is made, until there is one or a second is over.
  private func reports(_ folder: String, _ change: () throws -> Void) throws -> Int {
    let loop = try EventLoop()
    var count = 0
    let watch = try FolderWatch(loop, folder: folder) { count += 1 }
    try change()
    loop.schedule(after: 100_000_000) { loop.stop() }
    try loop.run()
    return withExtendedLifetime(watch) { count }
  }

  @Test func `a file that comes, is replaced or goes is reported`() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", [1])
    #expect(try reports(folder.path) { try folder.write("new", [1]) } > 0)
    #expect(try reports(folder.path) { rename(folder.path("new"), folder.path("old")) } > 0)
    #expect(try reports(folder.path) { unlink(folder.path("old")) } > 0)
  }

  @Test func `nothing is reported while nothing happens`() throws {
    #expect(try reports(TemporaryFolder().path) {} == 0)
  }

  @Test func `a folder that comes later is reported, with those above it`() throws {
    let folder = try TemporaryFolder()
    let deep = folder.path("a/b/c")
    let count = try reports(deep) {
      for path in ["a", "a/b", "a/b/c"] { mkdir(folder.path(path), 0o700) }
    }
    #expect(count > 0)
  }

  @Test func `what happens beside a missing folder is not reported`() throws {
    let folder = try TemporaryFolder()
    #expect(try reports(folder.path("missing")) { try folder.write("other", [1]) } == 0)
  }

  @Test func `a folder that is replaced is watched again`() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path("a"), 0o700)
    let loop = try EventLoop()
    var count = 0
    let watch = try FolderWatch(loop, folder: folder.path("a")) { count += 1 }
    func settle() throws {
      loop.schedule(after: 50_000_000) { loop.stop() }
      try loop.run()
    }
    rmdir(folder.path("a"))
    try settle()
    mkdir(folder.path("a"), 0o700)
    try settle()
    count = 0
    try folder.write("a/file", [1])
    try settle()
    #expect(count > 0 && watch.isComplete)
  }
}
