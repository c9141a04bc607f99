import CitiesProtocol
import TestSupport
import Testing

@testable import FeedSync

/// `contrib/systemd/sync.json`, which packages install: it shows the structure, and sets nothing.
@Suite struct ShippedConfigurationTests {
  private func configuration(_ path: String) throws -> SyncConfiguration {
    try SyncConfiguration(environment: ["CITIES_SYNC_CONFIG": path], user: 1_000)
  }

  @Test func `it says what applies without it`() throws {
    let shipped = try configuration(Repository.path("contrib/systemd/sync.json"))
    let usual = try SyncConfiguration(environment: [:], user: 1_000)
    #expect(shipped == usual)
  }

  /// A copied default would stay in force where a later version has another one.
  @Test func `it shows every feed and object and sets no key`() throws {
    let path = Repository.path("contrib/systemd/sync.json")
    let tree = try ConfigurationTree(json: Array(try Repository.text(path).utf8), of: path)
    let others = ConfigurationKey.all.filter { !$0.isOfFeed }.map { $0.path[0] }
    let objects = FeedName.all.map { ["feeds", $0.rawValue] } + others
    #expect(
      Set(tree.entries.keys.map(\.names)) == Set(objects), "contrib/generate writes the names of the feeds into it")
    #expect(tree.entries.values.allSatisfy { $0.value == .empty })
  }
}
