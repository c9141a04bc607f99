import Cities
import CitiesProtocol
import Glibc
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// New files under open connections: swapped in whole, refused whole, paged to the end.
@Suite struct GenerationTests {
  static let fewer = Array(SmallWorld.cities.prefix(4))

  private func isServed(_ total: UInt64, _ client: TestClient) throws -> Bool {
    try eventually { try client.ask(CitySearch(prefix: "", limit: 0)).total == total }
  }

  @Test func `a new file is served on open connections, and watchers are told`() throws {
    let server = try RunningServer()
    let (client, watcher) = (try server.client(), try server.client())
    let before = try watcher.ask(Watch())
    #expect(before.ready["cities"] == true)
    try SmallWorld.write(Self.fewer, to: server.index)
    #expect(try isServed(4, client))
    let event = try watcher.event()
    let now = try client.ask(CitySearch(prefix: "")).generation
    #expect(event?.event == "changed" && event?.subject == .cities && event?.generation == now)
    #expect(before.generations["cities"] != now)
  }

  @Test func `one who pages keeps the generation it began with, others start over`() throws {
    let server = try RunningServer()
    let (pager, other) = (try server.client(), try server.client())
    let first = try pager.ask(CitySearch(prefix: "", limit: 5))
    try SmallWorld.write(Self.fewer, to: server.index)
    #expect(try isServed(4, server.client()))
    let late = try server.client()
    let page = CitySearch(prefix: "", offset: 5, limit: 5, generation: first.generation)
    let second = try pager.ask(page)
    #expect(first.rows.map(\.id) + second.rows.map(\.id) == [10, 11, 12, 13, 15, 16, 17, 18, 14])
    #expect(second.generation == first.generation)
    for client in [other, late] {
      let error = try client.error(page)
      #expect(error?.code == .staleGeneration && error?.data?.subject == .cities)
      #expect(error?.data?.generation == (try late.ask(CitySearch(prefix: ""))).generation)
    }
  }

  @Test func `the older generation goes after its time`() throws {
    let server = try RunningServer { $0.generationGrace = 100_000_000 }
    let pager = try server.client()
    let first = try pager.ask(CitySearch(prefix: "", limit: 5))
    try SmallWorld.write(Self.fewer, to: server.index)
    #expect(try isServed(4, server.client()))
    let page = CitySearch(prefix: "", offset: 5, generation: first.generation)
    #expect(try eventually { try pager.error(page)?.code == .staleGeneration })
  }

  @Test func `only one older generation is kept`() throws {
    let server = try RunningServer()
    let pager = try server.client()
    let first = try pager.ask(CitySearch(prefix: ""))
    for count in [4, 3] {
      try SmallWorld.write(Array(SmallWorld.cities.prefix(count)), to: server.index)
      #expect(try isServed(UInt64(count), server.client()))
    }
    #expect(try pager.error(CitySearch(prefix: "", generation: first.generation))?.code == .staleGeneration)
  }

  @Test(arguments: ["", "0", "ffffffffffffffff", String(repeating: "x", count: 1_000)])
  func `a generation that never was is stale`(name: String) throws {
    let client = try RunningServer().client()
    #expect(try client.error(CitySearch(prefix: "", generation: name))?.code == .staleGeneration)
  }

  @Test func `the same content in a new file changes nothing`() throws {
    let server = try RunningServer()
    let watcher = try server.client()
    let before = try watcher.ask(Watch())
    let identity = try server.onLoop { $0.cities.current?.identity }
    try SmallWorld.write(to: server.index)
    // The new file has been opened and compared.
    #expect(try eventually { try server.onLoop { $0.cities.current?.identity } != identity })
    try SmallWorld.write(Self.fewer, to: server.index)
    #expect(try watcher.event()?.generation != before.generations["cities"])
  }

  @Test func `a refused file changes nothing, is told, and a good one mends it`() throws {
    let server = try RunningServer()
    let (client, watcher) = (try server.client(), try server.client())
    _ = try watcher.ask(Watch(subjects: [.cities]))
    try server.folder.write("state/bad", [UInt8](repeating: 7, count: 100))
    rename(server.folder.path("state/bad"), server.index)
    let event = try watcher.event()
    #expect(event?.event == "refused" && event?.message?.contains("cities.index") == true)
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
    #expect(try client.ask(Status()).subjects.first?.problem?.contains("rebuild it") == true)
    try SmallWorld.write(Self.fewer, to: server.index)
    #expect(try watcher.event()?.event == "changed")
    #expect(try client.ask(Status()).subjects.first?.problem == nil)
  }

  @Test func `a file that is removed goes on being served`() throws {
    let server = try RunningServer()
    let state = try server.onLoop { $0.cities.current?.state }
    unlink(server.index)
    // The file has been looked at since it lost its name.
    #expect(try eventually { try server.onLoop { $0.cities.current?.state } != state })
    #expect(try server.client().ask(CitySearch(prefix: "")).total == 9)
  }

  @Test func `without data the answer is unavailable at once, and data that comes is served`() throws {
    let server = try RunningServer(hasData: false)
    let client = try server.client()
    let error = try client.error(CitySearch(prefix: ""))
    #expect(error?.code == .unavailable && error?.data?.subject == .cities && error?.data?.phase == "no data")
    #expect(try client.ask(Hello(client: "test")).ready["cities"] == false)
    _ = try client.ask(Watch())
    try SmallWorld.write(to: server.index)
    #expect(try client.event()?.event == "changed")
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
  }

  @Test func `a state folder that comes later is noticed`() throws {
    let server = try RunningServer(hasData: false) { $0.stateFolder += "/deeper/still" }
    let client = try server.client()
    _ = try client.ask(Watch())
    for path in ["state/deeper", "state/deeper/still"] { mkdir(server.folder.path(path), 0o700) }
    try SmallWorld.write(to: server.folder.path("state/deeper/still/cities.index"))
    #expect(try client.event()?.event == "changed")
  }

  @Test func `a prebuilt file serves until the state folder has one`() throws {
    let server = try RunningServer(hasData: false) { configuration in
      let share = configuration.stateFolder + "/../share"
      mkdir(share, 0o700)
      try? SmallWorld.write(Self.fewer, to: share + "/\(ResidentCities.kind.installedName)")
      configuration.shareFolders = ["/nonexistent", share]
    }
    let client = try server.client()
    #expect(try client.ask(CitySearch(prefix: "")).total == 4)
    try SmallWorld.write(to: server.index)
    #expect(try isServed(9, client))
    try server.folder.write("state/bad", [1])
    rename(server.folder.path("state/bad"), server.index)
    #expect(try eventually { try client.ask(Status()).subjects.first?.problem != nil })
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
  }

  @Test func `a refused file in the state folder leaves the prebuilt one in place`() throws {
    let server = try RunningServer { configuration in
      let share = configuration.stateFolder + "/../share"
      mkdir(share, 0o700)
      try? SmallWorld.write(Self.fewer, to: share + "/\(ResidentCities.kind.installedName)")
      configuration.shareFolders = [share]
      truncate(configuration.stateFolder + "/cities.index", 100)
    }
    let client = try server.client()
    #expect(try client.ask(CitySearch(prefix: "")).total == 4)
    #expect(try client.ask(Status()).subjects.first?.problem != nil)
  }
}
