import Glibc
import TestSupport
import Testing

@testable import CitiesServer
@testable import FrameService

/// The list of subordinate user ids, as the server follows it.
@Suite struct SubordinateUsersFileTests {
  private func account(_ uid: UInt32, _ server: RunningServer) throws -> UInt32 {
    try server.onLoop { $0.service.subordinates.account(of: Peer(uid: uid, pid: 1)) }
  }

  @Test func `the list is read at the start and whenever it changes, and one that is missing changes nothing`() throws {
    let folder = try TemporaryFolder()
    let list = try folder.write("subuid", "a:100000:10\n".utf8)
    let server = try RunningServer { $0.subordinateUsers = list }
    #expect(try account(100_005, server) == 100_000)
    // Replaced, as usermod(8) does.
    #expect(rename(try folder.write("subuid+", "b:200000:10\n".utf8), list) == 0)
    #expect(try eventually { try account(200_005, server) == 200_000 })
    #expect(try account(100_005, server) == 100_005)
    for change in [{ unlink(list) }, { mkdir(list, 0o700) }, { rmdir(list) }] {
      let before = try server.onLoop { $0.userReadings }
      #expect(change() == 0)
      #expect(try eventually { try server.onLoop { $0.userReadings > before && $0.service.loop.offloaded == 0 } })
      #expect(try account(200_005, server) == 200_000)
    }
    // Written in place, as an editor may do.
    try folder.write("subuid", "a:100000:10\nc:300000:10\n".utf8)
    #expect(try eventually { try account(300_005, server) == 300_000 })
    #expect(try account(200_005, server) == 200_005)
  }

  @Test func `a server without a list starts and takes the first one that appears`() throws {
    let folder = try TemporaryFolder()
    let list = folder.path("subuid")
    let server = try RunningServer { $0.subordinateUsers = list }
    #expect(try account(100_005, server) == 100_005)
    try folder.write("subuid", "a:100000:10\n".utf8)
    #expect(try eventually { try account(100_005, server) == 100_000 })
  }

  @Test func `files are read once for all who ask in one turn of the loop`() throws {
    let folder = try TemporaryFolder()
    let list = try folder.write("subuid", "a:100000:10\n".utf8)
    let server = try RunningServer { $0.subordinateUsers = list }
    let answered = Box(0)
    let before = try server.onLoop { server in
      let before = server.userReadings
      for _ in 0..<3 { server.checkFiles { answered.value += 1 } }
      return before
    }
    #expect(eventually { answered.value == 3 })
    #expect(try server.onLoop { $0.userReadings } == before + 1)
  }
}
