import Glibc
import System
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct UserFileTests {
  private let folder: TemporaryFolder
  private let file: UserFile

  init() throws {
    folder = try TemporaryFolder()
    file = UserFile("file", in: [folder.path("a"), folder.path("a/b")])
  }

  @Test func `a file is replaced whole and its users alone`() throws {
    #expect(try file.read(atMost: 9) == nil)
    for text in ["first", "2nd"] {
      try file.replace(with: Array(text.utf8))
      #expect(try file.read(atMost: 9) == Array(text.utf8))
    }
    #expect(try file.read(atMost: 2) == Array("2n".utf8))
    #expect(folder.names == ["a"] && Repository.names(in: folder.path("a/b")) == ["file"])
    for (path, mode) in [(file.path, mode_t(0o600)), (folder.path("a/b"), 0o700), (folder.path("a"), 0o700)] {
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == mode)
    }
  }

  @Test func `a change starts from the old bytes`() throws {
    for text in ["one", "two"] { try file.change(atMost: 4) { $0 + Array(text.utf8) } }
    #expect(try file.read(atMost: 9) == Array("onetwo".utf8))
    try file.change(atMost: 4) { $0 + [0x21] }
    #expect(try file.read(atMost: 9) == Array("onet!".utf8))
  }

  @Test func `only a regular file is read`() throws {
    try file.replace(with: [])
    unlink(file.path)
    #expect(mkfifo(file.path, 0o600) == 0)
    let error = #expect(throws: SystemError.self) { try file.read(atMost: 9) }
    #expect(error?.description == "\(file.path): not a regular file; remove it")
    unlink(file.path)
    #expect(mkdir(file.path, 0o700) == 0)
    #expect(throws: SystemError.self) { try file.read(atMost: 9) }
    // A failed replacement leaves nothing.
    #expect(throws: SystemError.self) { try file.replace(with: [1]) }
    #expect(Repository.names(in: folder.path("a/b")) == ["file"])
  }

  @Test func `a folder that cannot be made is named`() throws {
    try folder.write("a", [])
    let error = #expect(throws: SystemError.self) { try file.replace(with: [1]) }
    #expect(error == SystemError("mkdir", folder.path("a/b"), code: ENOTDIR))
    #expect(try file.read(atMost: 9) == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give things away"))
  func `nothing is read, written or removed where another user's folder or link leads`() throws {
    try file.replace(with: [1])
    #expect(rename(folder.path("a"), folder.path("victim")) == 0)
    #expect(symlink("victim", folder.path("a")) == 0)
    for isForeign in [true, false] {
      #expect(lchown(folder.path("a"), isForeign ? 12_345 : 0, 0) == 0)
      let attempts: [() throws -> Void] = [
        { _ = try file.read(atMost: 9) }, { try file.replace(with: [2]) }, { try file.change(atMost: 9) { $0 + [3] } },
        { _ = try file.remove() },
      ]
      for attempt in attempts {
        guard isForeign else {
          try attempt()
          continue
        }
        let error = #expect(throws: SystemError.self) { try attempt() }
        #expect(error?.description.contains("the link \(folder.path("a")) belongs to user 12345; use a folder") == true)
        #expect(Repository.names(in: folder.path("victim/b")) == ["file"])
      }
    }
    #expect(Repository.names(in: folder.path("victim/b")).isEmpty)
  }
}
