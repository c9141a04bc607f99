import Folders
import Glibc
import Resident
import System
import TestSupport
import Testing

@Suite("State folder")
struct StateFolderTests {
  @Test(
    arguments: [
      (["CITIES_STATE": "/x", "XDG_STATE_HOME": "/s", "HOME": "/h"], 1000, "/x"),
      (["CITIES_STATE": "/x"], 0, "/x"),
      (["CITIES_STATE": "", "HOME": "/root"], 0, "/var/lib/cities"),
      (["HOME": "/h", "XDG_STATE_HOME": "/s"], 999, "/var/lib/cities"),
      (["HOME": "/h", "XDG_STATE_HOME": "/s"], 1000, "/s/cities"),
      (["HOME": "/h", "XDG_STATE_HOME": "relative"], 1000, "/h/.local/state/cities"),
      (["HOME": "/h", "XDG_STATE_HOME": ""], 1000, "/h/.local/state/cities"),
    ] as [([String: String], UInt32, String)])
  func `the first rule that applies gives the folder`(environment: [String: String], user: UInt32, expected: String)
    throws
  {
    #expect(try StateFolder(environment: { environment[$0] }, user: user).path == expected)
  }

  @Test func `without any hint the error says what to set`() {
    let error = #expect(throws: StateFolderError.self) { try StateFolder(environment: { _ in nil }, user: 1000) }
    #expect(error?.description.contains("set CITIES_STATE") == true)
  }

  @Test func `the folder is made with those above it, once`() throws {
    let folder = try TemporaryFolder()
    let state = StateFolder(path: folder.path("a/b/c"))
    #expect(try state.open()?.path == nil)
    for _ in 0..<2 { #expect(try state.make().path == state.path) }
    #expect(try state.open()?.path == state.path)
    #expect(Repository.isFolder(folder.path("a/b/c")))
    #expect(state.path(of: ResidentCities.kind) == folder.path("a/b/c/cities.index"))
  }

  @Test func `a file in the folder's way is named`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a", [])
    let error = #expect(throws: SystemError.self) { _ = try StateFolder(path: folder.path("a/b")).make() }
    #expect(error?.path == folder.path("a"))
    #expect(error?.code == ENOTDIR)
  }
}
