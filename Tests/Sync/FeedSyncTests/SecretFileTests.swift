import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import FeedSync

@Suite struct SecretFileTests {
  private let folder: TemporaryFolder
  private let feeds: FeedSwitch
  private let dropIn: String

  init() throws {
    folder = try TemporaryFolder()
    let file = try folder.write("sync.json", Array("{}".utf8))
    feeds = FeedSwitch(environment: ["CITIES_SYNC_CONFIG": file], user: 1000)
    dropIn = folder.path("sync.d/feed-rates.json")
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  /// The mode of a file that only root or this user, and for root maybe the services' group, can read.
  private var closed: mode_t { geteuid() == 0 && getgrnam("cities") != nil ? 0o640 : 0o600 }

  private var faults: [String] {
    ConfigurationCheck.faults(at: folder.path("sync.json"), environment: [:], user: 1000).map(\.description)
  }

  @Test(arguments: ["https://a.example/r?token=s", "https://a.example/r#s", "https://a.example/?"])
  func `a source that may have a secret is written to a closed file`(url: String) throws {
    #expect(try feeds.enable(.rates, url: url) == .wrote(dropIn))
    #expect(mode(dropIn) == closed)
    #expect(faults.allSatisfy { !$0.contains("every user can read") })
    // Without one, everybody may see it again.
    #expect(try feeds.enable(.rates, url: "https://a.example/r") == .wrote(dropIn))
    #expect(mode(dropIn) == 0o644)
  }

  @Test func `the source of a feed with a header is written to a closed file`() throws {
    let text = #"{"feeds":{"rates":{"headers":{"X-Key":{"file":"/none"}}}}}"#
    try folder.write("sync.json", Array(text.utf8))
    _ = try feeds.enable(.rates, url: "https://a.example/r")
    #expect(mode(dropIn) == closed)
    _ = try feeds.disable(.rates)
    #expect(mode(dropIn) == 0o644)
  }

  @Test(
    arguments: [
      (mode_t(0o600), true), (0o660, true), (0o400, true), (0o644, false), (0o604, false), (0o666, false),
    ])
  func `root leaves a closed file its mode, and one that is too open is closed`(before: mode_t, isClosed: Bool) throws {
    _ = try feeds.enable(.rates, url: "https://a.example/r")
    #expect(chmod(dropIn, before) == 0)
    _ = try feeds.enable(.rates, url: "https://a.example/r?token=s")
    #expect(mode(dropIn) == (isClosed && geteuid() == 0 ? before : closed))
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give things away"))
  func `a secret in a user's configuration is the user's, and a closed file stays its owner's`() throws {
    #expect(mkdir(folder.path("sync.d"), 0o755) == 0 && chown(folder.path("sync.d"), 12_345, 23_456) == 0)
    func owner() -> [UInt32] {
      var status = stat()
      return stat(dropIn, &status) == 0 ? [status.st_uid, status.st_gid] : []
    }
    _ = try feeds.enable(.rates, url: "https://a.example/r?token=s")
    #expect(owner() == [12_345, 23_456] && mode(dropIn) == 0o600)
    #expect(chown(dropIn, 111, 222) == 0 && chmod(dropIn, 0o440) == 0)
    _ = try feeds.enable(.rates, url: "https://a.example/r?token=t")
    #expect(owner() == [111, 222] && mode(dropIn) == 0o440)
  }

  @Test func `an open file with a secret is a fault with its place and the command that closes it`() throws {
    let name = "sync.d/it's a token.json"
    #expect(mkdir(folder.path("sync.d"), 0o755) == 0)
    let url = #""url":"https://a.example/r?token=s""#
    for (text, place) in [
      (#"{"feeds":{"rates":{\#(url)}}}"#, "1:20: feeds.rates.url"),
      (#"{"feeds":{"rates":{"ur1":"https://me:pass@a.example/"}}}"#, "1:20: feeds.rates.ur1"),
    ] {
      let path = try folder.write(name, Array(text.utf8))
      #expect(chmod(path, 0o644) == 0)
      // A later file overrides the value, but the secret is still there.
      try folder.write("sync.d/zzz.json", Array(#"{"feeds":{"rates":{"url":"/r"}}}"#.utf8))
      let found = faults.filter { $0.contains("every user can read") }
      #expect(found.count == 1 && found[0].hasPrefix("\(path):\(place): every user can read \(path); "), "\(found)")
      #expect(found.first?.hasSuffix("sync.d/it'\\''s a token.json'") == true, "\(found)")
      #expect(chmod(path, closed) == 0)
      #expect(faults.allSatisfy { !$0.contains("every user can read") })
    }
  }

  @Test func `an unreadable file hides the source of its feed, or of all feeds that no later file sets`() throws {
    var tree = ConfigurationTree(unreadable: "/c/sync.json")
    #expect(tree[["feeds", "cities", "url"]] == .text("source not readable"))
    tree.merge(try ConfigurationTree(json: Array(#"{"feeds":{"cities":{"url":"/a"}}}"#.utf8), of: "x"))
    tree.merge(ConfigurationTree(unreadable: "/c/sync.d/feed-rates.json"))
    let configuration = SyncConfiguration(tree, environment: [:], ConfigurationFaults())
    #expect(FeedDescription(.cities, configuration).source == "/a")
    #expect(FeedDescription(.rates, configuration).source == "source not readable")
    #expect(ConfigurationTree(unreadable: "/c/sync.d/feed-rates.json").entries.count == 1)
  }
}
