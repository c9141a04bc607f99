import Folders
import Glibc
import System
import TestSupport
import Testing

@Suite("Open folder")
struct OpenFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String = "") throws -> OpenFolder {
    try OpenFolder(name.isEmpty ? folder.path : folder.path(name))
  }

  /// The reason for which `body` fails.
  private func refusal(_ body: () throws -> Any?) -> String {
    let error = #expect(throws: SystemError.self) { _ = try body() }
    return error?.description ?? ""
  }

  @Test func `a regular file is opened, and a missing one is none`() throws {
    try folder.write("file", [1])
    #expect(try open().file("file") != nil)
    #expect(try open().file("none") == nil)
    #expect(try open().folder("none") == nil)
  }

  @Test func `a link, a folder, a pipe, a second name in a file's place is refused with what to do`() throws {
    let victim = try folder.write("victim", [1])
    #expect(symlink(victim, folder.path("link")) == 0 && link(victim, folder.path("twin")) == 0)
    #expect(mkdir(folder.path("folder"), 0o755) == 0 && mkfifo(folder.path("pipe"), 0o600) == 0)
    for (name, reason) in [
      ("link", "a symbolic link, which is not followed here; remove it"), ("folder", "not a regular file; remove it"),
      ("pipe", "not a regular file; remove it"), ("twin", "the file has 2 names (hard links); remove this one"),
    ] {
      #expect(refusal { try open().file(name) } == "\(folder.path(name)): \(reason)")
      guard name != "folder" else { continue }
      #expect(refusal { try open().lockFile(name) } == "\(folder.path(name)): \(reason)")
    }
    #expect(
      refusal { try open().folder("link") }
        == "\(folder.path("link")): a symbolic link, which is not followed here; remove it")
    #expect(refusal { try open().folder(making: "victim") } == "\(folder.path("victim")): not a folder; remove it")
    #expect(try Repository.bytes(victim) == [1])
  }

  @Test func `a file that was replaced while it was open is still read`() throws {
    try folder.write("file", [1])
    let old = try #require(try open().file("file"))
    unlink(folder.path("file"))
    #expect(old.number >= 0)
    #expect(try open().file("file") == nil)
  }

  @Test func `a lock file is made once, and stays empty`() throws {
    for _ in 0..<2 { _ = try open().lockFile("lock") }
    #expect(try Repository.bytes(folder.path("lock")).isEmpty)
  }

  @Test func `a folder that everyone may write to is refused`() throws {
    let path = folder.path("open")
    #expect(mkdir(path, 0o755) == 0 && chmod(path, 0o777) == 0)
    #expect(refusal { try open("open") }.hasSuffix("use chmod go-w \(path)"))
    #expect(chmod(path, 0o755) == 0)
    #expect(throws: Never.self) { try open("open") }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give things away"))
  func `another user's folder and file are refused`() throws {
    try folder.write("file", [1])
    #expect(chown(folder.path("file"), 12_345, 23_456) == 0)
    #expect(refusal { try open().file("file") }.contains("belongs to user 12345"))
    #expect(mkdir(folder.path("other"), 0o755) == 0 && chown(folder.path("other"), 12_345, 23_456) == 0)
    #expect(refusal { try open("other") }.contains("the folder belongs to user 12345, and this runs as user 0"))
    #expect(refusal { try open().folder("other") }.contains("belongs to user 12345"))
  }

  @Test func `links in the path are followed, relative and absolute, up to forty`() throws {
    _ = try OpenFolder(making: folder.path("a/b/c"))
    #expect(symlink("b/../b/./c", folder.path("a/relative")) == 0)
    #expect(symlink(folder.path("a"), folder.path("absolute")) == 0)
    try folder.write("a/b/c/file", [1])
    #expect(try open("absolute/relative/.").file("file") != nil)
    #expect(symlink("loop", folder.path("loop")) == 0)
    #expect(#expect(throws: SystemError.self) { try open("loop") }?.code == ELOOP)
    // A missing folder is made where the link leads to.
    _ = try OpenFolder(making: folder.path("absolute/x/y"))
    #expect(Repository.isFolder(folder.path("a/x/y")))
    #expect(#expect(throws: SystemError.self) { _ = try OpenFolder(making: folder.path("none/../x")) }?.code == ENOENT)
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root to give things away"))
  func `root is led from a user's folder or link to that user's files alone`() throws {
    for name in ["home", "home/state", "victim"] { #expect(mkdir(folder.path(name), 0o755) == 0) }
    for name in ["home", "home/state"] { #expect(chown(folder.path(name), 12_345, 23_456) == 0) }
    #expect(symlink(folder.path("victim"), folder.path("home/absolute")) == 0)
    #expect(symlink("../victim", folder.path("home/relative")) == 0)
    #expect(symlink("state", folder.path("home/own")) == 0)
    for name in ["absolute", "relative", "own"] { #expect(lchown(folder.path("home/\(name)"), 12_345, 23_456) == 0) }
    #expect(symlink("home/state", folder.path("roots")) == 0)
    for name in ["home/absolute", "home/relative", "home/.."] {
      #expect(refusal { try open(name) }.contains("user 12345 could redirect this path"), "\(name)")
    }
    for name in ["home/own", "home/state", "roots"] {
      let owner = try FolderOwner.of(folder.path(name))
      #expect(owner.user == 12_345 && owner.group == 23_456, "\(name)")
    }
    #expect(try FolderOwner.of(folder.path("home/none/at/all")).user == 12_345)
    #expect(try FolderOwner.of(folder.path("none")).user == 0)
  }
}
