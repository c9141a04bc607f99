import Glibc
import TestSupport
import Testing

@testable import FrameService

/// Ranges of user ids in the format of subuid(5), and the accounts that they make.
@Suite struct SubordinateUsersTests {
  private func account(_ uid: UInt32, _ lines: String) -> UInt32 {
    SubordinateUsers(Array(lines.utf8)).account(of: Peer(uid: uid, pid: 1))
  }

  @Test func `each range is one account, and every other id is its own`() {
    let lines = "bob:165536:65536\nalice:100000:65536\n1001:300000:1\n"
    for uid: UInt32 in [100_000, 100_001, 165_535] { #expect(account(uid, lines) == 100_000) }
    for uid: UInt32 in [165_536, 200_000, 231_071] { #expect(account(uid, lines) == 165_536) }
    #expect(account(300_000, lines) == 300_000)
    for uid: UInt32 in [0, 1, 99_999, 231_072, 299_999, 300_001, 4_000_000_000, .max] {
      #expect(account(uid, lines) == uid && account(uid, "") == uid)
    }
  }

  @Test func `ranges with common ids are one account, those that touch are two`() {
    let lines = "a:100000:1000\nb:100999:1000\nc:100100:5\nd:101999:10\na:100000:1000\n"
    for uid: UInt32 in [100_000, 100_102, 100_999, 101_998] { #expect(account(uid, lines) == 100_000) }
    #expect(account(101_999, lines) == 101_999)
    #expect(account(102_008, lines) == 101_999)
  }

  @Test func `a range that contains others is still one account after them`() {
    let lines = "root:1000000:1000000000\na:1065536:65536\nb:2000000:65536\n"
    for uid: UInt32 in [1_000_000, 1_065_536, 1_200_000, 2_000_001, 1_000_999_999] {
      #expect(account(uid, lines) == 1_000_000)
    }
    #expect(account(1_001_000_000, lines) == 1_001_000_000)
  }

  @Test func `the longest ranges end with the last id and contain neither root nor the server's user`() {
    let own = geteuid()
    let first: UInt32 = (1...).first { $0 != own } ?? 1
    for count in ["4294967295", "4294967296", "18446744073709551615"] {
      let lines = "all:0:\(count)\n"
      #expect(account(0, lines) == 0 && account(own, lines) == own)
      for uid: UInt32 in [70_000, 4_000_000_000] { #expect(account(uid, lines) == first) }
    }
    // The account of a range is never that of the server's user.
    #expect(own == 0 || account(own + 1, "a:\(own):10\n") == own + 1)
    #expect(account(own, "a:\(own):10\n") == own)
  }

  @Test(arguments: [
    "", "\n\n", "#a:70000:9", "a:70000", "a:70000:", "a::9", "a:70000:0", "a:70000:-1", "a:-70000:9", "a:70000:9:",
    "a: 70000:9", "a:70000:9 ", "a:70000:9\r", "a:0x11170:9", "a:4295037296:9", "a:70000:18446744073709551616",
    "a:7\u{0}0000:9", "a:\u{665}0000:9", ":::", "a:70000 9",
  ])
  func `a malformed line is ignored, and those around it count`(line: String) {
    #expect(account(70_001, "x:50000:9\n\(line)\ny:60000:9") == 70_001)
    #expect(account(50_001, "x:50000:9\n\(line)\ny:60000:9") == 50_000)
    #expect(account(60_001, "x:50000:9\n\(line)\ny:60000:9") == 60_000)
  }

  @Test func `any bytes are read without a fault, and no account is outside of its range`() {
    var random = SeededRandom(seed: 11)
    let alphabet = Array("a0123456789::::\n\n-+ #\u{301}".utf8)
    for _ in 0..<2_000 {
      let users = SubordinateUsers((0..<200).map { _ in alphabet[random.below(alphabet.count)] })
      for uid: UInt32 in [0, 5, 77, 1_234, 70_000, .max] {
        let account = users.account(of: Peer(uid: uid, pid: 1))
        #expect(account <= uid && users.account(of: Peer(uid: account, pid: 1)) == account)
      }
    }
  }

  @Test func `a long list is found by bisection`() {
    let lines = (0..<40_000).map { "user\($0):\(100_000 + $0 * 65_536):65536\n" }.joined()
    let users = SubordinateUsers(Array(lines.utf8))
    for number in stride(from: UInt32(0), to: 40_000, by: 37) {
      let first = 100_000 + number * 65_536
      #expect(users.account(of: Peer(uid: first + 65_535, pid: 1)) == first)
    }
  }

  @Test func `a file is read, and one that is missing, too large or no regular file is refused`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("subuid")
    #expect(throws: (any Error).self) { try SubordinateUsers(file: path) }
    try folder.write("subuid", "a:70000:10".utf8)
    #expect(try SubordinateUsers(file: path).account(of: Peer(uid: 70_009, pid: 1)) == 70_000)
    try folder.write("subuid", String(repeating: "#", count: SubordinateUsers.maximumBytes).utf8 + [10])
    #expect(throws: (any Error).self) { try SubordinateUsers(file: path) }
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(throws: (any Error).self) { try SubordinateUsers(file: folder.path("pipe")) }
  }
}
