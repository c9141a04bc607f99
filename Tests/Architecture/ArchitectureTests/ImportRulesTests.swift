import TestSupport
import Testing

/// Folders are layers, and arrows point down: checked on every import line of every source file.
@Suite struct ImportRulesTests {
  @Test(arguments: importRules) func `every file imports only what its module may`(rule: ImportRule) throws {
    let files = Repository.files(under: rule.folder).filter { $0.hasSuffix(".swift") }
    #expect(!files.isEmpty, "\(rule.folder) has no Swift file: a rule for nothing checks nothing")
    for file in files {
      let violations = rule.violations(in: try Repository.text(Repository.path(file)), at: file)
      #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }
  }

  @Test func `every module has a rule`() {
    let folders = Set(Modules.swiftFolders)
    let missing = folders.subtracting(importRules.map(\.folder))
    #expect(missing.isEmpty, "no import rule stands for \(missing.sorted()): add one, with its reason")
  }

  @Test(arguments: ["CitiesClient", "CitiesCommands", "citiesctl"])
  func `no path of imports leads from the client into a server`(module: String) {
    let forbidden: Set = [
      "CitiesServer", "FeedSync", "FrameService", "Resident", "Folders", "Cities", "Banks", "Foundation",
      "Dispatch", "CSystemd", "CSystemdLoader",
    ]
    let reached = reachable(from: module).intersection(forbidden)
    #expect(reached.isEmpty, "\(module) reaches \(reached.sorted()): the client knows the wire and nothing behind it")
  }

  @Test(arguments: ["CitiesServer", "citiesd"])
  func `no path of imports leads from the server to foreign data or Foundation`(module: String) {
    let forbidden: Set = [
      "FeedSync", "CZlib", "Foundation", "FoundationEssentials", "Configuration", "ArgumentParser", "CitiesClient",
      "CitiesCommands",
    ]
    let reached = reachable(from: module).intersection(forbidden)
    #expect(reached.isEmpty, "\(module) reaches \(reached.sorted()): what is untrusted is read in citiesd-sync alone")
  }

  @Test func `the rules have no cycle`() {
    for rule in importRules {
      let below = rule.allowed.flatMap(reachable(from:))
      #expect(!below.contains(rule.module), "\(rule.module) reaches itself")
    }
  }

  @Test func `only the service layer speaks with systemd`() throws {
    let variables = ["LISTEN_PID", "LISTEN_FDS", "NOTIFY_SOCKET", "WATCHDOG_USEC", "JOURNAL_STREAM"]
    for file in Repository.files(under: "Sources")
    where file.hasSuffix(".swift") && !file.contains("Sources/Service/FrameService/") {
      let text = try Repository.text(file)
      for variable in variables {
        #expect(!text.contains("\"\(variable)\""), "\(file): FrameService alone reads \(variable)")
      }
    }
  }

  @Test(arguments: [
    ("Sources/Wire/CBOR", "CBORReader.swift", "import Glibc"),
    ("Protocol", "Status.swift", "import Cities"),
    ("Sources/Domain/Cities", "CityIndex.swift", "import Glibc"),
    ("Sources/Domain/Cities", "CityIndex.swift", "public import FoundationEssentials"),
    ("Sources/Domain/Cities", "CityIndex.swift", "import Banks"),
    ("Sources/Domain/Banks", "BankIndex.swift", "import Cities"),
    ("Sources/Domain/CivilTime", "ZoneRules.swift", "import Glibc"),
    ("Sources/Resident/Resident", "ResidentFile.swift", "import Foundation"),
    ("Sources/Server/CitiesServer", "Handlers.swift", "import CitiesClient"),
    ("Sources/Server/CitiesServer", "Handlers.swift", "import CLinux"),
    ("Sources/Server/citiesd", "main.swift", "import FeedSync"),
    ("Sources/Server/CitiesServer", "QueryServer.swift", "import CSystemd"),
    ("Sources/Client/CitiesClient", "ServerConnection.swift", "import CSystemd"),
    ("Sources/Sync/FeedSync", "Store.swift", "import CitiesServer"),
    ("Sources/Client/CitiesClient", "CitiesClient.swift", "import struct Foundation.Data"),
    ("Sources/Client/CitiesCommands", "CityVerbs.swift", "package import Cities"),
    ("Sources/Client/citiesctl", "main.swift", "import ArgumentParser"),
  ])
  func `a forbidden import is named with its place and its reason`(folder: String, file: String, line: String) throws {
    let rule = try #require(importRules.first { $0.folder == folder })
    let violations = rule.violations(in: "// head\n\(line)\n", at: "\(folder)/\(file)")
    let violation = try #require(violations.first)
    #expect(violations.count == 1)
    #expect(violation.description.hasPrefix("\(folder)/\(file):2 imports "))
    #expect(violation.description.hasSuffix(rule.reason))
  }

  @Test func `what one file may do is no leave for its neighbours`() throws {
    let rule = try #require(importRules.first { $0.module == "Geodesy" })
    #expect(rule.violations(in: "import Glibc", at: "Sources/Domain/Geodesy/Geodesy.swift").isEmpty)
    #expect(rule.violations(in: "import Glibc", at: "Sources/Domain/Geodesy/PointTree.swift").count == 1)
  }

  /// All modules that `module` may import, directly or through others; without `module` itself unless a cycle leads
  /// back.
  private func reachable(from module: String) -> Set<String> {
    var reached: Set<String> = []
    var open = [module]
    while let next = open.popLast() {
      let imports = importRules.first { $0.module == next }?.allowed ?? []
      open += imports.subtracting(reached)
      reached.formUnion(imports)
    }
    return reached
  }
}

extension ImportRule: CustomTestStringConvertible {
  var testDescription: String { module }
}
