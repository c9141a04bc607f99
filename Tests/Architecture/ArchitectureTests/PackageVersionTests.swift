import FoundationEssentials
import TestSupport
import Testing

/// Every build uses the versions of packages that were tested, although no Package.resolved is committed.
///
/// The revisions in a Package.resolved differ between a package's home and its mirrors, so that a committed one would
/// break builds that use a mirror. Versions are the same everywhere.
@Suite struct PackageVersionTests {
  /// Versions by package, as contrib/packages records them.
  private let recorded: [String: String]

  init() throws {
    let lines = try Repository.text(Repository.path("contrib/packages")).split(separator: "\n")
    let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }
    recorded = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
  }

  @Test func `resolved versions are the recorded ones`() throws {
    let path = Repository.path("Package.resolved")
    try #require(Repository.exists(path), "no Package.resolved: tests are built by swift build, which writes it")
    let resolved = try JSONDecoder().decode(Resolved.self, from: Data(Repository.bytes(path)))
    let versions = Dictionary(
      uniqueKeysWithValues: resolved.pins.map { ($0.identity, $0.state.version ?? "no version") })
    #expect(versions == recorded, "the build uses other packages than contrib/packages; compare both and correct one")
  }

  @Test func `the manifest pins the recorded versions`() throws {
    let manifest = try Repository.text(Repository.path("Package.swift"))
    let declared = manifest.split(separator: "\n").filter { $0.contains(".package(url:") }
    #expect(declared.count == recorded.count)
    for (name, version) in recorded {
      #expect(
        declared.contains { $0.contains("/\(name)\", exact: \"\(version)\")") },
        "Package.swift does not ask for exactly \(name) \(version)")
    }
  }

  /// The parts of Package.resolved that count; revisions do not.
  private struct Resolved: Decodable {
    var pins: [Pin]

    struct Pin: Decodable {
      var identity: String
      var state: State
    }

    struct State: Decodable {
      var version: String?
    }
  }
}
