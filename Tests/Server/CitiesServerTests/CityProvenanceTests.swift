import Cities
import CitiesProtocol
import Glibc
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// Where the cities of a reply come from, and that a reply says so only when it should.
@Suite struct CityProvenanceTests {
  private let at = Place(at: Position(lat: 44, lon: 8))

  /// A server whose prebuilt list has four cities; the state folder's own file is what `spoil` leaves of it.
  private func server(_ spoil: @escaping @Sendable (String) -> Void) throws -> RunningServer {
    try RunningServer { configuration in
      let share = configuration.stateFolder + "/../share"
      mkdir(share, 0o700)
      try? SmallWorld.write(GenerationTests.fewer, to: share + "/\(ResidentCities.kind.installedName)")
      configuration.shareFolders = [share]
      spoil(configuration.stateFolder + "/cities.index")
    }
  }

  @Test func `a reply from the state folder's file says nothing unless asked`() throws {
    let client = try RunningServer().client()
    #expect(try client.ask(CitySearch(prefix: "alb")).sources == nil)
    #expect(try client.ask(CityGet(id: 10)).sources == nil)
    #expect(try client.ask(CityNear(place: at)).sources == nil)
  }

  @Test func `a reply says where its data comes from when asked`() throws {
    let client = try RunningServer().client()
    let search = try client.ask(CitySearch(prefix: "alb", provenance: true))
    #expect(search.total == 4 && search.rows.count == 4)
    let sources = [
      search.sources, try client.ask(CityGet(id: 10, provenance: true)).sources,
      try client.ask(CityNear(place: at, provenance: true)).sources,
    ]
    for source in sources { #expect(source?.feeds.map(\.feed) == [.cities] && source?.fallback == nil) }
    #expect(try client.ask(CitySearch(prefix: "alb", provenance: false)).sources == nil)
  }

  @Test func `a reply from the prebuilt list says why the other file was refused`() throws {
    let client = try server { truncate($0, 100) }.client()
    let search = try client.ask(CitySearch(prefix: ""))
    let (city, near) = (try client.ask(CityGet(id: 10)), try client.ask(CityNear(place: at)))
    #expect(search.total == 4 && city.city == .small(10) && near.rows.count == 4)
    for source in [search.sources, city.sources, near.sources] {
      #expect(source?.fallback?.contains("state/cities.index") == true)
      #expect(source?.feeds == [Provenance.Source(feed: .cities, stale: true)])
    }
    #expect(search.asOf == nil && city.asOf == nil && near.asOf == nil)
  }

  @Test func `a refused file that is removed is no reason any more`() throws {
    let server = try server { truncate($0, 100) }
    let client = try server.client()
    #expect(try client.ask(Status()).subjects.first?.problem != nil)
    unlink(server.index)
    #expect(try eventually { try client.ask(Status()).subjects.first?.problem == nil })
    #expect(try client.ask(CitySearch(prefix: "")).sources == nil)
  }

  @Test func `a prebuilt list without another file is no fallback`() throws {
    let client = try server { unlink($0) }.client()
    #expect(try client.ask(CitySearch(prefix: "")).sources == nil)
    #expect(try client.ask(CitySearch(prefix: "", provenance: true)).sources?.fallback == nil)
  }
}
