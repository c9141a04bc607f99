import CitiesProtocol
import TestSupport
import Testing

@testable import FeedSync

/// `contrib/systemd/sync.json`, which packages install: it shows every key, and changes nothing.
@Suite struct ShippedConfigurationTests {
  private func configuration(_ path: String) throws -> SyncConfiguration {
    try SyncConfiguration(environment: ["CITIES_SYNC_CONFIG": path], user: 1_000)
  }

  @Test func itSaysWhatAppliesWithoutIt() throws {
    let shipped = try configuration(Repository.path("contrib/systemd/sync.json"))
    let usual = try SyncConfiguration(environment: [:], user: 1_000)
    #expect(shipped == usual)
  }

  @Test func itShowsEveryFeedAndKey() throws {
    let text = try Repository.text(Repository.path("contrib/systemd/sync.json"))
    for name in FeedName.all.map(\.rawValue) + ConfigurationKeys.feed.keys + [ConfigurationKeys.headers] {
      #expect(text.contains("\"\(name)\""), "sync.json does not show \(name)")
    }
    for (object, keys) in ConfigurationKeys.objects {
      for key in [object] + keys.keys {
        #expect(text.contains("\"\(key)\""), "sync.json does not show \(object).\(key)")
      }
    }
  }
}
