import CitiesProtocol
import TestSupport
import Testing

@testable import FeedSync

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

  @Test func `without anything the feeds that have one come from their default URL, every hour`() throws {
    let configuration = try configuration()
    #expect(configuration[.cities] == FeedConfiguration() && configuration[.imaginary] == FeedConfiguration())
    #expect(configuration[.cities].interval == 3_600)
    #expect(configuration[.swedbankEE].url == "https://www.swedbank.ee/finder.json")
    #expect(configuration[.rates].url == "https://android-ios-service.herokuapp.com/rates")
    #expect(FeedName.all.allSatisfy { configuration[$0].url == FeedCatalogue.entry(of: $0)?.url })
    #expect(configuration.warnings.isEmpty && configuration.caFile == nil && configuration.limits == FetchLimits())
  }

  @Test func `an empty URL takes the default away, in the file and in the environment`() throws {
    #expect(try configuration(#"{"feeds":{"rates":{"url":""}}}"#)[.rates].url == nil)
    #expect(try configuration(nil, ["CITIES_FEED_RATES": ""])[.rates].url == nil)
    #expect(try configuration(#"{"feeds":{"rates":{"url":""}}}"#, ["CITIES_FEED_RATES": "/r"])[.rates].url == "/r")
  }

  @Test func `limits and the file of certificates come from the file and the environment`() throws {
    let json = #"{"tls":{"caFile":"/ca.pem"},"limits":{"bytes":2048,"connect":1,"total":2,"stall":3}}"#
    var limits = FetchLimits()
    (limits.bytes, limits.connect, limits.total, limits.stall) = (2_048, 1, 2, 3)
    let file = try configuration(json)
    #expect(file.limits == limits && file.caFile == "/ca.pem" && file.warnings.isEmpty)
    let environment = ["CITIES_LIMITS_TOTAL": "9", "CITIES_TLS_CA_FILE": "/other.pem"]
    limits.total = 9
    let both = try configuration(json, environment)
    #expect(both.limits == limits && both.caFile == "/other.pem")
  }

  @Test func `variables that look like a feed's but are not are reported`() throws {
    let environment = [
      "CITIES_FEED_CITYS": "/a", "CITIES_FEED_RATES_URL": "/b", "CITIES_FEED_SWEDBANK_EE_INTERVAL": "60",
      "CITIES_STATE": "/c", "CITIES_LIMITS_TOTALS": "5",
    ]
    #expect(
      try configuration(nil, environment).warnings
        == ["CITIES_FEED_CITYS", "CITIES_FEED_RATES_URL", "CITIES_LIMITS_TOTALS"].map {
          "\($0): unknown variable; remove it, or correct its name"
        })
  }

  @Test func `the file sets every key of a feed`() throws {
    let json = #"{"feeds":{"cities":{"url":"/a","interval":120,"timezone":"Europe/Tallinn","country":"EE"}}}"#
    #expect(
      try configuration(json)[.cities]
        == FeedConfiguration(url: "/a", interval: 120, zone: "Europe/Tallinn", country: "EE"))
  }

  @Test func `the environment comes before the file, key by key`() throws {
    let json = #"{"feeds":{"cities":{"url":"/file","interval":120}}}"#
    let both = try configuration(json, ["CITIES_FEED_CITIES": "/environment", "CITIES_FEED_CITIES_COUNTRY": "LV"])
    #expect(both[.cities] == FeedConfiguration(url: "/environment", interval: 120, country: "LV"))
    #expect(try configuration(json, ["CITIES_FEED_CITIES_INTERVAL": "600"])[.cities].interval == 600)
    #expect(try configuration(json, ["CITIES_FEED_CITIES": ""])[.cities].url == nil)
  }

  @Test func `unknown keys are reported and ignored`() throws {
    let json =
      #"{"feeds":{"cities":{"url":"/a","colour":"red"},"citys":{"url":"/b"},"rates":{}},"x":1,"feedz":{},"limits":{}}"#
    let configuration = try configuration(json)
    #expect(configuration[.cities].url == "/a")
    let path = folder.path("sync.json")
    #expect(
      configuration.warnings == [
        "\(path):1:32: feeds.cities.colour: unknown key",
        "\(path):1:57: feeds.citys.url: unknown key; did you mean feeds.cities.url?",
        "\(path):1:87: feedz: unknown key; did you mean feeds?", "\(path):1:81: x: unknown key",
      ])
  }

  @Test(
    arguments: [
      ("[]", "1:1: expected a JSON object"), ("", "1:1: the JSON is broken: the text ends without a value"),
      ("{\"feeds\":\n{,}}", "2:2: the JSON is broken: unexpected \",\""),
      (#"{"feeds":{"cities":{"url":["/a"]}}}"#, "1:21: feeds.cities.url: expected text"),
      (#"{"feeds":{"cities":{"url":5}}}"#, "1:21: feeds.cities.url: expected text"),
      (#"{"feeds":{"cities":{"url":{}}}}"#, "1:21: feeds.cities.url: expected text"),
      (#"{"feeds":{"cities":"/a"}}"#, "1:11: feeds.cities: expected an object"),
      (#"{"tls":1}"#, "1:2: tls: expected an object"),
      (#"{"limits":{"total":0}}"#, "1:12: limits.total: expected 1 to 3600 seconds, found \"0\""),
      (#"{"limits":{"bytes":1}}"#, "1:12: limits.bytes: expected 1024 to 536870912 bytes, found \"1\""),
      (#"{"loss":{"percent":101}}"#, "1:10: loss.percent: expected 0 to 100 percent, found \"101\""),
      (#"{"loss":5}"#, "1:2: loss: expected an object"),
      (#"{"feeds":{"rates":{"headers":"x"}}}"#, "1:20: feeds.rates.headers: expected an object"),
      (
        #"{"feeds":{"rates":{"headers":{"X-Token":"t"}}}}"#,
        "1:31: feeds.rates.headers.X-Token: expected an object with the key \"file\"; the value is read from a file"
      ),
      (
        #"{"feeds":{"rates":{"headers":{"X-Token":{}}}}}"#,
        "1:31: feeds.rates.headers.X-Token: expected an object with the key \"file\"; the value is read from a file"
      ),
      (
        #"{"feeds":{"rates":{"headers":{"X-Token":{"file":5}}}}}"#,
        "1:42: feeds.rates.headers.X-Token.file: expected text"
      ),
      (
        #"{"feeds":{"rates":{"headers":{"X Token":{"file":"/t"}}}}}"#,
        "1:42: feeds.rates.headers.X Token: not a header name: expected letters, digits and -"
      ),
      (
        #"{"feeds":{"rates":{"headers":{"HOST":{"file":"/t"}}}}}"#,
        "1:39: feeds.rates.headers.HOST: citiesd-sync sets this header itself"
      ),
      (
        #"{"feeds":{"cities":{"interval":59}}}"#,
        "1:21: interval of feed cities: expected 60 to 31536000 seconds, found \"59\""
      ),
      (
        #"{"feeds":{"cities":{"interval":"1h"}}}"#,
        "1:21: interval of feed cities: expected 60 to 31536000 seconds, found \"1h\""
      ),
    ])
  func `a broken file is refused with line and column, as check prints it`(json: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try configuration(json) }
    #expect(error?.reason == .badData)
    #expect(error?.description == "\(folder.path("sync.json")):\(problem)")
    let found = ConfigurationCheck.faults(at: folder.path("sync.json"), environment: [:], user: 1_000)
    #expect(found.map(\.description).contains { $0 == error?.description })
  }

  @Test(
    arguments: [
      ("CITIES_FEED_SWEDBANK_EE_INTERVAL", "59", "60 to 31536000 seconds"),
      ("CITIES_LIMITS_TOTAL", "x", "1 to 3600 seconds"),
      ("CITIES_LIMITS_BYTES", "1", "1024 to 536870912 bytes"), ("CITIES_LOSS_PERCENT", "-1", "0 to 100 percent"),
      ("CITIES_LOSS_RECORDS", "0", "1 to 1000000000 records"),
    ])
  func `an error about a variable names the variable`(name: String, value: String, expected: String) {
    let json = #"{"feeds":{"swedbank-ee":{"interval":60}},"limits":{"total":5}}"#
    let error = #expect(throws: FeedError.self) { try configuration(json, [name: value]) }
    #expect(error?.description == "\(name): expected \(expected), found \"\(value)\"")
  }

  @Test func `an empty variable takes the file's value away`() throws {
    let json = #"{"limits":{"total":5},"tls":{"caFile":"/ca"},"feeds":{"imaginary":{"url":"/a","country":"EE"}}}"#
    let variables = [
      "CITIES_LIMITS_TOTAL", "CITIES_TLS_CA_FILE", "CITIES_FEED_IMAGINARY", "CITIES_FEED_IMAGINARY_COUNTRY",
    ]
    let configuration = try configuration(json, Dictionary(uniqueKeysWithValues: variables.map { ($0, "") }))
    #expect(configuration.limits == FetchLimits() && configuration.caFile == nil)
    #expect(configuration[.imaginary] == FeedConfiguration() && configuration.warnings.isEmpty)
  }

  @Test func `headers and their files come from the file, credentials from the service manager's folder`() throws {
    let token = try folder.write("token", Array("t".utf8))
    let json = #"{"feeds":{"rates":{"headers":{"X-B":{"file":"\#(token)"},"X-A":{"file":"token"}}}}}"#
    let configuration = try configuration(json, ["CREDENTIALS_DIRECTORY": folder.path("")])
    #expect(configuration[.rates].headers.map(\.name) == ["X-A", "X-B"])
    for header in configuration[.rates].headers { #expect(try header.line() == "\(header.name): t") }
  }

  @Test func `how much may be lost at once comes from the file and the environment`() throws {
    #expect(try configuration().loss == LossLimits())
    let both = try configuration(#"{"loss":{"percent":10,"records":5}}"#, ["CITIES_LOSS_RECORDS": "7"])
    #expect(both.loss.percent == 10 && both.loss.records == 7)
  }

  @Test func `a named file must exist`() {
    let error = #expect(throws: FeedError.self) {
      try configuration(nil, ["CITIES_SYNC_CONFIG": folder.path("none.json")])
    }
    #expect(error?.description == "\(folder.path("none.json")): open: No such file or directory")
  }

  @Test(
    arguments: [
      (["CITIES_SYNC_CONFIG": "/x.json", "HOME": "/h"], 0, "/x.json"), (["HOME": "/root"], 0, "/etc/cities/sync.json"),
      (["HOME": "/h"], 999, "/etc/cities/sync.json"), (["HOME": "/h"], 1000, "/h/.config/cities/sync.json"),
      (["HOME": "/h", "XDG_CONFIG_HOME": "/c"], 1000, "/c/cities/sync.json"),
      (["HOME": "/h", "XDG_CONFIG_HOME": "c"], 1000, "/h/.config/cities/sync.json"), ([:], 1000, nil),
    ] as [([String: String], UInt32, String?)])
  func `the first rule that applies gives the file`(environment: [String: String], user: UInt32, path: String?) {
    #expect(ConfigurationFile(environment: environment, user: user).path == path)
  }

  @Test func `the variable of a feed is its name in upper case`() {
    #expect(SyncConfiguration.variable(of: .cities) == "CITIES_FEED_CITIES")
    #expect(SyncConfiguration.variable(of: FeedName(rawValue: "swedbank-ee")) == "CITIES_FEED_SWEDBANK_EE")
  }
}
