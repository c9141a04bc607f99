import Glibc
import TestSupport
import Testing

@testable import System

@Suite struct PathOwnersTests {
  private let folder: TemporaryFolder
  private static let other: uid_t = 12_345

  init() throws {
    folder = try TemporaryFolder()
    for name in ["a", "a/b"] { #expect(mkdir(folder.path(name), 0o755) == 0) }
    try folder.write("a/b/file", [1])
  }

  private func doubt(_ name: String) throws -> String? { try PathOwners.doubt(about: folder.path(name)) }

  @Test func `a path of root's and one's own folders, links and files is not doubted`() throws {
    #expect(symlink("b/../b", folder.path("a/relative")) == 0)
    #expect(symlink(folder.path("a"), folder.path("absolute")) == 0)
    for name in ["", "a/b", "a/./b/file", "a/relative/file", "absolute/relative/file"] {
      #expect(try doubt(name) == nil, "\(name)")
    }
    #expect(try PathOwners.doubt(about: "/") == nil)
    #expect(PathOwners.areTrusted(on: folder.path("a/missing")))
  }

  @Test func `a path that cannot be followed is an error, as another user could make what is missing`() {
    #expect(symlink("loop", folder.path("loop")) == 0)
    for (name, code) in [("a/none/x", ENOENT), ("a/b/file/x", ENOTDIR), ("loop", ELOOP)] {
      let error = #expect(throws: SystemError.self) { try doubt(name) }
      #expect(error?.code == code, "\(name)")
    }
  }

  @Test func `a folder that everybody may write to needs the sticky bit`() throws {
    let path = folder.path("a")
    for (mode, isSafe) in [(mode_t(0o777), false), (0o1777, true), (0o755, true)] {
      #expect(chmod(path, mode) == 0)
      let reason = "other users may change the folder \(path) (chmod go-w \(path) forbids it)"
      #expect(try doubt("a/b") == (isSafe ? nil : reason))
    }
    // Who may write to a file or link does not matter: its contents are checked where it is read.
    #expect(chmod(folder.path("a/b/file"), 0o666) == 0)
    #expect(try doubt("a/b/file") == nil)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give things away"))
  func `another user's folder, link or file anywhere on it is named`() throws {
    #expect(symlink("b", folder.path("a/link")) == 0)
    for (owned, path, kind) in [
      ("a", "a/b/file", "folder"), ("a/b", "a/b", "folder"), ("a/link", "a/link/file", "link"),
      ("a/b/file", "a/link/file", "file"),
    ] {
      #expect(lchown(folder.path(owned), Self.other, 0) == 0)
      let place = folder.path(owned)
      #expect(try doubt(path) == "the \(kind) \(place) belongs to user \(Self.other)")
      #expect(!PathOwners.areTrusted(on: folder.path(path)))
      #expect(lchown(folder.path(owned), 0, 0) == 0)
    }
    #expect(try doubt("a/link/file") == nil)
    // For root, the members of a group are other users.
    #expect(chown(folder.path("a"), 0, 23_456) == 0 && chmod(folder.path("a"), 0o775) == 0)
    #expect(try doubt("a/b")?.hasPrefix("other users may change the folder") == true)
  }
}
