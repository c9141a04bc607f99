import CitiesProtocol
import TestSupport
import Testing

@testable import FeedSync

/// The table of keys, entry by entry: a key that is added there is read, checked, suggested and has to be in the
/// manual.
@Suite struct ConfigurationKeyTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Where the key is, under each of its names.
  private func paths(_ key: ConfigurationKey) -> [[String]] { key.paths(of: key.isOwn ? "mybank" : "rates") }

  /// A right value, as JSON.
  private func right(_ key: ConfigurationKey) -> String {
    switch key.value {
    case .number(let range, _, _): "\(range.upperBound)"
    case .word(let words, _): "\"\(words[0])\""
    case .text, .header: "\"/nonexistent/value\""
    }
  }

  private func json(_ path: [String], _ value: String) -> String {
    path.reversed().reduce(value) { "{\"\($1)\": \($0)}" }
  }

  private func configuration(_ json: String, _ environment: [String: String] = [:]) throws -> SyncConfiguration {
    let file = try folder.write("sync.json", Array(json.utf8))
    return try SyncConfiguration(
      environment: environment.merging(["CITIES_SYNC_CONFIG": file]) { $1 }, user: 1_000)
  }

  @Test(arguments: ConfigurationKey.all.indices)
  func `each key is read from the file, and from its variable before that`(place: Int) throws {
    let (key, usual) = (ConfigurationKey.all[place], try configuration("{}"))
    for path in paths(key) {
      let read = try configuration(json(path, right(key)))
      #expect(read != usual && read.warnings.isEmpty, "\(path)")
      guard key.hasVariable else { continue }
      let empty = try configuration(json(path, right(key)), [ConfigurationKey.variable(path): ""])
      #expect(empty != read && empty.warnings.isEmpty, "\(path)")
    }
  }

  @Test(arguments: ConfigurationKey.all.indices)
  func `a wrong value and a misspelt name are found with their place`(place: Int) throws {
    let key = ConfigurationKey.all[place]
    let path = paths(key)[0]
    let name = path.joined(separator: ".")
    let error = #expect(throws: FeedError.self) { try configuration(json(path, "[]")) }
    var expected = "expected text"
    if case .number = key.value { expected = "expected a whole number" }
    let column = json(path, "").split(separator: "\"\(path[path.count - 1])\"")[0].count + 1
    #expect(error?.description == "\(folder.path("sync.json")):1:\(column): \(name): \(expected)")
    // The format makes a feed of the user's own known.
    let before = key.isOwn ? "{\"feeds\": {\"mybank\": {\"format\": \"csv\", \"formats\": 1}}}" : nil
    let misspelt = path.dropLast() + [path[path.count - 1] + "s"]
    let text = before ?? json(Array(misspelt), "1")
    #expect(
      try configuration(text).warnings.map { $0.split(separator: ": ", maxSplits: 1).last }
        == ["\(misspelt.joined(separator: ".")): unknown key; did you mean \(name)?"])
  }

  @Test func `the manual names each key`() throws {
    let page = try Repository.text(Repository.path("contrib/man/sync.json.5"))
    for names in ConfigurationKey.all.map(\.path) {
      let words =
        names[0] == ["feeds"] ? names.dropFirst(2).flatMap { $0 } : [names.map { $0[0] }.joined(separator: ".")]
      for word in words where word != ConfigurationKey.any {
        #expect(page.contains(word), "sync.json(5) does not name \(word)")
      }
    }
  }
}
