import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesMap

/// Pictures of the real outlines, compared with stored ones.
///
/// With `CITIES_STORE_PICTURES=1` they are stored instead, to be looked at before they are committed.
@Suite struct PictureTests {
  /// The subject of a stored picture.
  struct Case: Sendable, CustomStringConvertible {
    var name: String
    var place: Position
    var label: String
    var width = Viewport.usualWidth
    var size = MapSize(columns: 60, rows: 16)
    var characters = Charset.unicode
    var description: String { name }
  }

  static let cases = [
    Case(name: "tallinn", place: Position(lat: 59.43696, lon: 24.75353), label: "Tallinn, EE"),
    Case(name: "suva", place: Position(lat: -18.14161, lon: 178.44149), label: "Suva, FJ", width: 800_000),
    Case(name: "ushuaia", place: Position(lat: -54.8, lon: -68.3), label: "Ushuaia, AR", width: 1_500_000),
    Case(name: "longyearbyen", place: Position(lat: 78.22334, lon: 15.64689), label: "Longyearbyen, SJ", width: 2e6),
    Case(name: "world", place: Position(lat: 0, lon: 178), label: "", width: .infinity),
    Case(name: "grid", place: Position(lat: 59.43696, lon: 24.75353), label: "Tallinn, EE", width: 20_000),
    Case(
      name: "ascii", place: Position(lat: 51.77, lon: 19.46), label: "Łódź, PL", width: 1.5e6, characters: .ascii),
    Case(
      name: "small", place: Position(lat: 35.6895, lon: 139.69171), label: "東京, JP", width: 1e6,
      size: MapSize(columns: 40, rows: 8)),
  ]

  private func drawing(_ wanted: Case) throws -> MapDrawing {
    let mark = MapMark(at: wanted.place, kind: .city, label: wanted.label, isChosen: true)
    return MapDrawing(
      view: .around(wanted.place, width: wanted.width, in: wanted.size), marks: [mark], outlines: .embedded(),
      characters: wanted.characters, at: 1_782_043_200)
  }

  private func compare(_ text: String, with name: String) throws {
    let path = Repository.path("Tests/Client/CitiesMapTests/Pictures/\(name)")
    if getenv("CITIES_STORE_PICTURES") != nil {
      let file = try #require(fopen(path, "w"))
      fputs(text, file)
      fclose(file)
    }
    #expect(try Repository.text(path) == text)
  }

  @Test(arguments: cases) func `a map looks as it did`(wanted: Case) throws {
    let drawing = try drawing(wanted)
    try compare((drawing.picture().lines + drawing.caption()).map { $0 + "\n" }.joined(), with: "\(wanted.name).txt")
  }

  @Test(arguments: cases) func `the mark is in the cell of its place`(wanted: Case) throws {
    let drawing = try drawing(wanted)
    let cell = try #require(drawing.view.cell(of: wanted.place))
    #expect(drawing.picture()[cell.column, cell.row].layer == .chosenMark(.city))
  }

  @Test(arguments: ["suva", "grid"]) func `a vector picture looks as it did`(name: String) throws {
    let wanted = try #require(Self.cases.first { $0.name == name })
    try compare(VectorPicture(try drawing(wanted), title: wanted.label).svg, with: "\(name).svg")
  }

  @Test(arguments: cases) func `a picture has the size of its view`(wanted: Case) throws {
    let picture = try drawing(wanted).picture()
    #expect(picture.size == wanted.size && picture.lines.count == wanted.size.rows)
    for row in 0..<picture.size.rows { #expect(picture.row(row).count == wanted.size.columns) }
    #expect(wanted.characters == .unicode || picture.lines.joined().utf8.allSatisfy { $0 < 0x7F })
  }
}
