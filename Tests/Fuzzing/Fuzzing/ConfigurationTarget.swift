import TestSupport

@testable import FeedSync

/// `sync.json`: any file is read, and what has no fatal fault can be described.
final class ConfigurationTarget: FuzzTarget {
  static let name = "configuration"

  static var seeds: [[UInt8]] {
    get throws {
      let shipped = try Repository.bytes(Repository.path("contrib/systemd/sync.json"))
      let full = """
        {"feeds":{"rates":{"url":"https://a.example/r","interval":3600,"headers":{"X-Key":{"file":"key"}}},
        "my-table":{"format":"csv","url":"/b","country":"FI","zone":"Europe/Helsinki"},"cities":{"url":""}},
        "limits":{"downloadBytes":1000000,"seconds":60},"loss":{"percent":20},"tls":{"caFile":"/etc/ssl/ca.pem"}}
        """
      return [shipped, Array(full.utf8)]
    }
  }

  init() {}

  func run(_ input: [UInt8]) throws {
    guard let tree = try? ConfigurationTree(json: input, of: "sync.json") else { return }
    let faults = ConfigurationFaults()
    let taken = SyncConfiguration(tree, environment: [:], faults)
    _ = faults.all.map(\.description)
    guard faults.firstFatal == nil else { return }
    _ = taken.names.map { FeedDescription($0, taken).details.count }
  }
}
