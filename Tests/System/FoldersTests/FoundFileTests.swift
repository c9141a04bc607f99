import Folders
import Glibc
import System
import TestSupport
import Testing

/// Counts how often something below a folder is opened (inotify(7)); one with `O_PATH` does not count.
private struct OpeningCounter {
  private let descriptor: Int32

  init(_ folder: TemporaryFolder) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    _ = inotify_add_watch(descriptor, folder.path, UInt32(IN_OPEN))
  }

  /// Events since the last call; how many does not matter.
  func sawOne() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    return read(descriptor, &bytes, bytes.count) > 0
  }

  func end() { close(descriptor) }
}

@Suite("Found file")
struct FoundFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ file: Descriptor) throws -> [UInt8] { try readAll(file.number, "", limit: 100) }

  @Test func `a look opens nothing, and the file that was looked at is opened, whatever its name is by then`() throws {
    try folder.write("file", [1])
    let openings = OpeningCounter(folder)
    defer { openings.end() }
    let found = try FoundFile(folder.path("file"))
    #expect(found.kind == .regular && !openings.sawOne())
    #expect(rename(folder.path("file"), folder.path("other")) == 0)
    try folder.write("file", [2])
    _ = openings.sawOne()
    #expect(try bytes(found.open()) == [1])
    #expect(openings.sawOne())
  }

  @Test(arguments: ["pipe", "folder", "to-pipe", "to-device"])
  func `pipes, folders and devices are seen and not opened`(name: String) throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0 && mkdir(folder.path("folder"), 0o700) == 0)
    #expect(symlink("pipe", folder.path("to-pipe")) == 0 && symlink("/dev/null", folder.path("to-device")) == 0)
    let openings = OpeningCounter(folder)
    defer { openings.end() }
    #expect(try FoundFile(folder.path(name)).kind == .other)
    #expect(!openings.sawOne())
  }

  @Test(arguments: [true, false])
  func `a link of this user's own is followed, relative or not`(isAbsolute: Bool) throws {
    let file = try folder.write("file", [1])
    #expect(mkdir(folder.path("below"), 0o700) == 0)
    #expect(symlink(isAbsolute ? file : "../file", folder.path("below/link")) == 0)
    #expect(try bytes(FoundFile(folder.path("below/link")).open()) == [1])
    unlink(file)
    let error = #expect(throws: SystemError.self) { try FoundFile(folder.path("below/link")) }
    #expect(error?.code == ENOENT)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give things away"))
  func `another user's link is not followed`() throws {
    try folder.write("file", [1])
    #expect(symlink("file", folder.path("link")) == 0 && lchown(folder.path("link"), 12_345, 23_456) == 0)
    #expect(try FoundFile(folder.path("link")).kind == .link(owner: 12_345))
  }

  @Test func `nothing is an error with its number`() {
    let error = #expect(throws: SystemError.self) { try FoundFile(folder.path("none")) }
    #expect(error?.code == ENOENT && error?.path == folder.path("none"))
  }
}

@Suite("Folder of another user")
struct OtherFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat(folder.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `missing folders are made, and a file is put there and removed`() throws {
    let walked = try OpenFolder(making: folder.path("a/b"), isOwn: false)
    try AtomicFile.replace("file", in: walked) { (output) throws(SystemError) in try output.write([1]) }
    #expect(try Repository.bytes(folder.path("a/b/file")) == [1])
    #expect(try OpenFolder(folder.path("a/b"), isOwn: false).remove("file"))
    #expect(access(folder.path("a/b/file"), F_OK) != 0)
    #expect(try !walked.remove("file"))
    let error = #expect(throws: SystemError.self) { try OpenFolder(folder.path("a"), isOwn: false).remove("b") }
    #expect(error?.code == EISDIR)
    #expect(throws: SystemError.self) { try OpenFolder(folder.path("none"), isOwn: false) }
  }

  @Test(.enabled(if: geteuid() == 0, "is about root"))
  func `root's files have their modes whatever the umask`() throws {
    // The umask is the process's, and other tests make files at the same time, so only what it usually takes away is
    // seen here. The modes of folders are compared with a strict umask by `test_root`.
    let open = try OpenFolder(folder.path, isOwn: false)
    try AtomicFile.replace("file", in: open, mode: 0o666, isExact: true) { (output) throws(SystemError) in
      try output.write([1])
    }
    #expect(mode("file") == 0o666)
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root to give things away"))
  func `root is not sent to a folder of another user's choice`() throws {
    #expect(mkdir(folder.path("roots"), 0o755) == 0 && mkdir(folder.path("users"), 0o755) == 0)
    try folder.write("roots/file", [1])
    #expect(symlink(folder.path("roots"), folder.path("users/link")) == 0)
    #expect(chown(folder.path("users"), 12_345, 23_456) == 0)
    #expect(lchown(folder.path("users/link"), 12_345, 23_456) == 0)
    #expect(throws: SystemError.self) { try OpenFolder(folder.path("users/link"), isOwn: false).remove("file") }
    #expect(throws: SystemError.self) { try OpenFolder(making: folder.path("users/link/new"), isOwn: false) }
    #expect(try Repository.bytes(folder.path("roots/file")) == [1])
    #expect(access(folder.path("roots/new"), F_OK) != 0)
  }
}
