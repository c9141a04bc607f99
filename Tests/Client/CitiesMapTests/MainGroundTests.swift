import CitiesProtocol
import Testing

@testable import CitiesMap

@Suite struct MainGroundTests {
  private static let mainland: [(position: Position, inhabitants: UInt64)] = [
    (Position(lat: 40.7, lon: -74), 8_000_000), (Position(lat: 40.4, lon: -77), 2_700_000),
    (Position(lat: 39.7, lon: -80), 700_000), (Position(lat: 39, lon: -83), 3_800_000),
  ]

  private static func longitudes(_ places: [(position: Position, inhabitants: UInt64)]) -> [Double] {
    MainGround(places).positions.map(\.lon).sorted()
  }

  @Test func `few people far away are left out and many are not`() {
    let chain = Self.mainland + [(Position(lat: 38, lon: -86), 400_000), (Position(lat: 37, lon: -89), 70_000)]
    let all = chain.map(\.position.lon).sorted()
    #expect(Self.longitudes(chain) == all)
    #expect(Self.longitudes(chain + [(Position(lat: 21.3, lon: -157.9), 300_000)]) == all)
    #expect(Self.longitudes(chain + [(Position(lat: 21.3, lon: -157.9), 900_000)]) == [-157.9] + all)
  }

  @Test func `the date line is no distance and the largest city is always shown`() {
    let islands: [(position: Position, inhabitants: UInt64)] = [
      (Position(lat: -18, lon: 178.4), 90_000), (Position(lat: -17, lon: -179.9), 10),
    ]
    #expect(Self.longitudes(islands) == [-179.9, 178.4])
    let apart: [(position: Position, inhabitants: UInt64)] = [
      (Position(lat: 0, lon: 0), 0), (Position(lat: 0, lon: 90), 0),
    ]
    #expect(Self.longitudes(apart) == [0, 90] && Self.longitudes([]) == [])
    #expect(Self.longitudes([(Position(lat: 90, lon: 0), 500), (Position(lat: -90, lon: 0), 0)]) == [0])
  }
}
