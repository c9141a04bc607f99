import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesBrowser

@Suite("The file of the browser's state")
struct BrowserStateFileTests {
  private let folder: TemporaryFolder
  private let file: BrowserStateFile

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path
    file = try #require(BrowserStateFile { $0 == "XDG_STATE_HOME" ? path : nil })
  }

  private func city(_ id: UInt64) -> CityRow { CityRow(id: id, lat: 1, lon: 2, name: "C\(id)", country: "EE") }

  @Test func `browsers at the same time lose no visit`() async throws {
    let file = file
    await withTaskGroup(of: Void.self) { group in
      for browser in UInt64(0)..<2 {
        let cities = (0..<20).map { city(100 * browser + $0 + 1) }
        group.addTask {
          for city in cities { #expect(throws: Never.self) { try file.keep(.visit(city)) } }
        }
      }
    }
    #expect(Set(file.state.visits.map(\.id)) == Set((1...20).flatMap { [$0, $0 + 100] }))
    #expect(Repository.names(in: folder.path("cities")) == ["browse"])
  }

  @Test func `a file that is none counts as empty, and is not waited for`() throws {
    #expect(file.state == BrowserState())
    try file.keep(.order(.population))
    #expect(file.state == BrowserState(order: .population))
    let path = folder.path("cities/browse")
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(file.state == BrowserState())
  }
}
