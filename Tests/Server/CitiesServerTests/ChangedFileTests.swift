import Cities
import CitiesProtocol
import Glibc
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// Served files that somebody changes where they stand, and files whose checksums are right and whose content is not.
@Suite struct ChangedFileTests {
  static let fewer = Array(SmallWorld.cities.prefix(4))

  /// The bytes of an index that a writer would put in the place of the small world's.
  private static func image(_ folder: TemporaryFolder, _ cities: Int) throws -> [UInt8] {
    try SmallWorld.write(Array(SmallWorld.cities.prefix(cities)), to: folder.path("other"))
    defer { unlink(folder.path("other")) }
    return try Repository.bytes(folder.path("other"))
  }

  /// Writes over a file from `offset` on, as cp(1) and dd(1) do.
  private static func overwrite(_ path: String, _ bytes: [UInt8], at offset: Int = 0, truncating: Bool = false) {
    let descriptor = open(path, O_WRONLY | (truncating ? O_TRUNC : 0))
    defer { close(descriptor) }
    pwrite(descriptor, bytes, bytes.count, off_t(offset))
  }

  /// A client of a server that has started to watch its folders, which takes a few milliseconds.
  private static func watchedClient(_ server: RunningServer) throws -> TestClient {
    #expect(try eventually { try server.onLoop { !$0.watches.isEmpty } })
    return try server.client()
  }

  private func reply(_ client: TestClient) throws -> Result<CitySearch.Reply, WireError> {
    let envelope = try client.envelope(CitySearch(prefix: ""))
    if let error = envelope.error { return .failure(error) }
    return .success(try #require(envelope.result))
  }

  @Test func `a file that is copied over is never mixed with the new one, which is served in the end`() throws {
    let server = try RunningServer()
    let client = try Self.watchedClient(server)
    let first = try client.ask(CitySearch(prefix: ""))
    Self.overwrite(server.index, try Self.image(server.folder, 4), truncating: true)
    let isNew = try eventually {
      switch try reply(client) {
      case .failure(let error): #expect(error.code == .unavailable && error.data?.phase == "withdrawn")
      case .success(let reply):
        #expect(reply.generation != first.generation && reply.rows.map(\.id) == [10, 11, 12, 13])
        return true
      }
      return false
    }
    #expect(isNew)
  }

  @Test func `a change of one byte takes the file out of service, with the reason`() throws {
    let server = try RunningServer()
    let client = try Self.watchedClient(server)
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
    let size = try Repository.bytes(server.index).count
    Self.overwrite(server.index, [0xFF], at: size - 1)
    let error = try client.error(CitySearch(prefix: ""))
    #expect(error?.code == .unavailable && error?.data?.subject == .cities)
    #expect(try eventually { try client.ask(Status()).subjects.first?.problem?.contains("CRC32C") == true })
    #expect(try client.ask(Status()).subjects.first?.ready == false)
    try SmallWorld.write(to: server.index)
    #expect(try eventually { try client.ask(Status()).subjects.first?.ready == true })
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
  }

  @Test func `a change is noticed although size and time of modification stay`() throws {
    let server = try RunningServer()
    let client = try Self.watchedClient(server)
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
    var status = stat()
    stat(server.index, &status)
    let bytes = try Repository.bytes(server.index)
    Self.overwrite(server.index, bytes.map { $0 ^ 1 })
    var times = [status.st_atim, status.st_mtim]
    utimensat(AT_FDCWD, server.index, &times, 0)
    #expect(try client.error(CitySearch(prefix: ""))?.code == .unavailable)
  }

  @Test func `metadata that changes alone changes nothing`() throws {
    let server = try RunningServer()
    let client = try Self.watchedClient(server)
    let first = try client.ask(CitySearch(prefix: ""))
    for change in 0..<3 {
      switch change {
      case 0: chmod(server.index, 0o640)
      case 1: utimensat(AT_FDCWD, server.index, nil, 0)
      default: link(server.index, server.folder.path("state/second"))
      }
      for _ in 0..<20 {
        #expect(try client.ask(CitySearch(prefix: "")).generation == first.generation)
        usleep(10_000)
      }
    }
  }

  @Test(arguments: [0, 1, 4_096, 5_000])
  func `a file that is shortened under the server neither ends it nor spoils an answer`(size: Int) throws {
    let server = try RunningServer(hasData: false) { configuration in
      try? ManyCities.write(20_000, to: configuration.stateFolder + "/cities.index")
    }
    let client = try Self.watchedClient(server)
    let expected = try client.ask(CitySearch(prefix: "c1", limit: 1_000))
    #expect(expected.total == 11_111)
    truncate(server.index, off_t(size))
    for prefix in ["c1", "c19", "c2", ""] {
      #expect(try client.error(CitySearch(prefix: prefix, limit: 1_000))?.code == .unavailable)
    }
    try ManyCities.write(20_000, to: server.index)
    #expect(try eventually { try client.ask(Status()).subjects.first?.ready == true })
    #expect(try client.ask(CitySearch(prefix: "c1", limit: 1_000)) == expected)
  }

  @Test func `a page that is missing when it is read is never answered from`() throws {
    let server = try RunningServer(hasData: false) { configuration in
      try? ManyCities.write(20_000, to: configuration.stateFolder + "/cities.index")
    }
    let client = try Self.watchedClient(server)
    #expect(try client.ask(CitySearch(prefix: "")).total == 20_000)
    let index = server.index
    // On the loop's thread, so that the request comes before the report of the change.
    let hasFaulted = try server.onLoop { server in
      guard let generation = server.cities.current else { return false }
      // The loop that would answer the signal is the one that would wait for it.
      generation.data.file.lease.release()
      truncate(index, 0)
      let sum = generation.data.index.row(at: 10_000).reduce(0) { $0 + Int($1) }
      return sum == 0 && generation.data.file.hasFaulted
    }
    #expect(hasFaulted)
    #expect(try client.error(CitySearch(prefix: ""))?.code == .unavailable)
  }

  @Test func `the prebuilt file takes over where the served one is spoilt`() throws {
    let server = try RunningServer { configuration in
      let share = configuration.stateFolder + "/../share"
      mkdir(share, 0o700)
      try? SmallWorld.write(Self.fewer, to: share + "/\(ResidentCities.kind.installedName)")
      configuration.shareFolders = [share]
    }
    let client = try Self.watchedClient(server)
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
    Self.overwrite(server.index, [0, 0, 0, 0])
    #expect(eventually { (try? client.ask(CitySearch(prefix: "")).total) == 4 })
    #expect(try client.ask(Status()).subjects.first?.problem?.contains(server.index) == true)
  }

  @Test func `a change in the folder of prebuilt files is noticed`() throws {
    let server = try RunningServer(hasData: false) { configuration in
      let share = configuration.stateFolder + "/../share"
      mkdir(share, 0o700)
      try? SmallWorld.write(Self.fewer, to: share + "/\(ResidentCities.kind.installedName)")
      configuration.shareFolders = [share]
    }
    let client = try Self.watchedClient(server)
    #expect(try client.ask(CitySearch(prefix: "")).total == 4)
    try SmallWorld.write(to: server.folder.path("share/\(ResidentCities.kind.installedName)"))
    #expect(try eventually { try client.ask(CitySearch(prefix: "")).total == 9 })
  }

  // MARK: Right checksums, wrong content

  @Test func `a sound file is proved soon after it is served`() throws {
    let server = try RunningServer(hasData: false) { configuration in
      try? ManyCities.write(5_000, to: configuration.stateFolder + "/cities.index")
    }
    let client = try server.client()
    let early = try client.ask(CitySearch(prefix: "c1", limit: 100))
    #expect(try eventually { try server.onLoop { $0.cities.current?.isProved == true } })
    #expect(try client.ask(CitySearch(prefix: "c1", limit: 100)) == early)
  }

  @Test(arguments: ["ROWS", "ROFF", "FORD", "CRNK", "CFLD", "IDOR", "SPAT", "KEYS"])
  func `a hostile section never reaches a client`(name: String) throws {
    let section = FourBytes(name)
    let server = try RunningServer(hasData: false) { configuration in
      let path = configuration.stateFolder + "/cities.index"
      try? ManyCities.write(3_000, to: path)
      try? HostileFile.spoil(path, ResidentCities.kind) { spoilt, bytes in
        guard spoilt == section else { return }
        // The last byte of the keys ends a text.
        for index in bytes.indices.dropLast() { bytes[index] = 0xFF }
      }
    }
    let client = try server.client()
    let questions = [
      CitySearch(prefix: "", limit: 1_000), CitySearch(prefix: "", match: .folded, limit: 1_000),
      CitySearch(prefix: "", country: "xx"), CitySearch(prefix: "", match: .folded, country: "xx"),
      CitySearch(prefix: "c1", sort: .population),
    ]
    let isOut = try eventually {
      for question in questions {
        let envelope = try client.envelope(question)
        if let error = envelope.error { #expect(error.code == .unavailable) }
        if let result = envelope.result { #expect(result.rows.allSatisfy { (1...3_000).contains($0.id) }) }
      }
      for id in [UInt64(1), 1_500, 3_000] { _ = try client.envelope(CityGet(id: id)) }
      _ = try client.envelope(CityNear(place: Place(at: Position(lat: 1, lon: 1)), limit: 1_000))
      return try client.ask(Status()).subjects.first?.ready == false
    }
    #expect(isOut)
    let status = try #require(try client.ask(Status()).subjects.first)
    #expect(status.phase == "withdrawn" && status.problem?.contains("damaged: ") == true, "\(status.problem ?? "")")
  }

  @Test func `damage of a file that was replaced is no lack of data`() throws {
    let server = try RunningServer()
    let client = try Self.watchedClient(server)
    nonisolated(unsafe) var replaced: ServedGeneration<ResidentCities>?
    try server.onLoop { replaced = $0.cities.current }
    try SmallWorld.write(Self.fewer, to: server.index)
    #expect(try eventually { try client.ask(CitySearch(prefix: "")).total == 4 })
    let error = try server.onLoop { _ in replaced?.damaged("an entry is out of range") }
    #expect(error == .dataChanged(.cities))
    #expect(try client.ask(CitySearch(prefix: "")).total == 4)
  }

  @Test func `hostile rows of banks never reach a client`() throws {
    let server = try RunningServer(hasData: false) { configuration in
      let path = configuration.stateFolder + "/banks.resident"
      try? SmallBanks.write(to: path)
      try? HostileFile.spoil(path, ResidentBanks.kind) { section, bytes in
        guard section == "ROWS" else { return }
        bytes[bytes.count - 1] ^= 0xFF
      }
    }
    let client = try server.client()
    let isOut = try eventually {
      let envelope = try client.envelope(BankList(limit: 100))
      if let error = envelope.error { #expect(error.code == .unavailable) }
      return envelope.error != nil
    }
    #expect(isOut)
    #expect(try client.ask(Status()).subjects[1].problem?.contains("section ROWS") == true)
  }
}

/// Cities that are called `c1`, `c2` and so on.
enum ManyCities {
  /// Made once: that takes a second without optimization.
  private static let most = Result { try image(20_000) }

  private static func image(_ count: Int) throws -> ResidentImage {
    try SmallWorld.image(
      of: (1...count).map { (number: Int) -> City in
        let (latitude, longitude) = (Double(number % 180) - 89.5, Double(number % 360) - 179.5)
        return City(
          id: UInt64(number), name: "C\(number)", country: "XX", latitude: latitude, longitude: longitude,
          population: UInt64(number))
      })
  }

  static func write(_ count: Int, to path: String) throws {
    try (count == 20_000 ? most.get() : image(count)).write(to: path)
    waitUntilUnwritten(path)
  }
}

/// A resident file that somebody spoilt who knows how checksums are made.
enum HostileFile {
  static func spoil(_ path: String, _ kind: ResidentKind, _ change: (FourBytes, inout [UInt8]) -> Void) throws {
    let file = try ResidentFile(path: path, kind: kind)
    let sections = withExtendedLifetime(file) {
      // The image makes the sums of blocks itself.
      file.header.sections.filter { $0.name != BlockSums.section }.map { section in
        var bytes = file[section.name].map(Array.init) ?? []
        change(section.name, &bytes)
        return (name: section.name, bytes: bytes)
      }
    }
    try ResidentImage(kind: kind, fingerprint: 1, sections: sections).write(to: path)
  }
}
