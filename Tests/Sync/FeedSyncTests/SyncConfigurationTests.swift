import CitiesProtocol
import FeedSync
import TestSupport
import Testing

@Suite("Sync configuration")
struct SyncConfigurationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(
    _ json: String? = nil, _ environment: [String: String] = [:]
  ) throws -> SyncConfiguration {
    var environment = environment
    if let json { environment["CITIES_SYNC_CONFIG"] = try folder.write("sync.json", Array(json.utf8)) }
    return try SyncConfiguration(environment: environment, user: 1000)
  }

  @Test("without anything nothing is configured")
  func nothing() throws {
    let configuration = try configuration()
    #expect(configuration[.cities] == FeedConfiguration())
    #expect(configuration[.cities].interval == 3_600)
    #expect(configuration.warnings.isEmpty)
  }

  @Test("the file sets every key of a feed")
  func file() throws {
    let json = #"{"feeds":{"cities":{"url":"/a","interval":120,"timezone":"Europe/Tallinn","country":"EE"}}}"#
    #expect(
      try configuration(json)[.cities]
        == FeedConfiguration(url: "/a", interval: 120, timezone: "Europe/Tallinn", country: "EE"))
  }

  @Test("the environment comes before the file, key by key")
  func precedence() throws {
    let json = #"{"feeds":{"cities":{"url":"/file","interval":120}}}"#
    let both = try configuration(json, ["CITIES_FEED_CITIES": "/environment", "CITIES_FEED_CITIES_COUNTRY": "LV"])
    #expect(both[.cities] == FeedConfiguration(url: "/environment", interval: 120, country: "LV"))
    #expect(try configuration(json, ["CITIES_FEED_CITIES_INTERVAL": "600"])[.cities].interval == 600)
    #expect(try configuration(json, ["CITIES_FEED_CITIES": ""])[.cities].url == nil)
  }

  @Test("unknown keys are told and ignored")
  func unknownKeys() throws {
    let json = #"{"feeds":{"cities":{"url":"/a","colour":"red"},"citys":{"url":"/b"}},"x":1}"#
    let configuration = try configuration(json)
    #expect(configuration[.cities].url == "/a")
    let path = folder.path("sync.json")
    #expect(
      configuration.warnings
        == ["feeds.cities.colour", "feeds.citys.url", "x"].map { "\(path): unknown key \($0) is ignored" })
  }

  @Test(
    "a broken file is refused with the place",
    arguments: [
      ("[]", "expected a JSON object"), ("", "the JSON is broken at byte 0 (line 1): the text ends without a value"),
      ("{\"feeds\":\n{,}}", "the JSON is broken at byte 11 (line 2): unexpected \",\""),
      (#"{"feeds":{"cities":{"url":["/a"]}}}"#, "feeds.cities.url: expected text or a whole number"),
      (
        #"{"feeds":{"cities":{"interval":59}}}"#,
        "interval of feed cities: expected 60 to 31536000 seconds, found \"59\""
      ),
      (
        #"{"feeds":{"cities":{"interval":"1h"}}}"#,
        "interval of feed cities: expected 60 to 31536000 seconds, found \"1h\""
      ),
    ])
  func broken(json: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try configuration(json) }
    #expect(error?.reason == .badData)
    #expect(error?.description == "\(folder.path("sync.json")): \(problem)")
  }

  @Test("a file that was asked for must be there")
  func missing() {
    let error = #expect(throws: FeedError.self) {
      try configuration(nil, ["CITIES_SYNC_CONFIG": folder.path("none.json")])
    }
    #expect(error?.description == "\(folder.path("none.json")): open: No such file or directory")
  }

  @Test(
    "the first rule that applies tells the file",
    arguments: [
      (["CITIES_SYNC_CONFIG": "/x.json", "HOME": "/h"], 0, "/x.json"), (["HOME": "/root"], 0, "/etc/cities/sync.json"),
      (["HOME": "/h"], 999, "/etc/cities/sync.json"), (["HOME": "/h"], 1000, "/h/.config/cities/sync.json"),
      (["HOME": "/h", "XDG_CONFIG_HOME": "/c"], 1000, "/c/cities/sync.json"),
      (["HOME": "/h", "XDG_CONFIG_HOME": "c"], 1000, "/h/.config/cities/sync.json"), ([:], 1000, nil),
    ] as [([String: String], UInt32, String?)])
  func place(environment: [String: String], user: UInt32, path: String?) {
    #expect(ConfigurationFile(environment: environment, user: user).path == path)
  }

  @Test("the variable of a feed is its name in upper case")
  func variables() {
    #expect(SyncConfiguration.variable(of: .cities) == "CITIES_FEED_CITIES")
    #expect(SyncConfiguration.variable(of: FeedName(rawValue: "swedbank-ee")) == "CITIES_FEED_SWEDBANK_EE")
  }
}
