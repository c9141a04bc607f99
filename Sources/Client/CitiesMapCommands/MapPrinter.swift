package import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import System

/// Writes a map in the requested format.
struct MapPrinter {
  /// Rows of a map beside a page; the scale is in another one.
  private static let rowsBesidePage = 11

  var options = MapOptions()
  let context: Context
  /// The ids of cities that are already on the map.
  var shown: Set<UInt64> = []
  /// The most surrounding cities to name.
  var most = Int.max

  /// Writes `subject`; `geoJSON` writes its places with all their data.
  ///
  /// - Returns: ``ExitStatus/found``.
  /// - Throws: any error of `geoJSON`, and `ClientError`.
  func write(_ subject: MapSubject, geoJSON: () throws -> Void) throws -> ExitStatus {
    switch options.output {
    case .text:
      context.output.write(try text(of: subject, in: textSize, options.color))
    case .svg:
      let drawing = try drawing(of: subject, in: size(columns: 80, rows: 30), .unicode)
      context.output.write(VectorPicture(drawing, title: subject.title, country: subject.country).svg)
    case .geojson:
      try geoJSON()
    case .geo:
      for mark in subject.marks { context.output.write(geoURI(mark.position) + "\n") }
    }
    return .found
  }

  /// The map as text, with its caption.
  private func text(of subject: MapSubject, in size: MapSize, _ color: ColourChoice) throws -> String {
    let characters: Charset = LocaleCodeset.isUTF8(context.environment) ? .unicode : .ascii
    let drawing = try drawing(of: subject, in: size, characters)
    if context.isPlain { return drawing.sentences }
    let colour = color.applies(toTerminal: context.output.isTerminal, environment: context.environment)
    return drawing.text(isEmphasized: colour)
  }

  /// Writes a page with a small map of `subject` beside it, without a legend.
  func write(_ page: FactPage, beside subject: @autoclosure @escaping () -> MapSubject) throws {
    // The page says in words what a drawing beside it would show.
    if context.isPlain { return try context.write(page) }
    try context.write(page) { columns in
      let size = MapSize(columns: columns, rows: Self.rowsBesidePage)
      return try text(of: subject(), in: size, context.rendering.color)
        .split(separator: "\n", omittingEmptySubsequences: false).prefix(Self.rowsBesidePage + 1).map(String.init)
    }
  }

  private func drawing(
    of subject: MapSubject, in size: MapSize, _ characters: Charset
  ) throws -> MapDrawing {
    let framed = subject.framed ?? subject.shown.map(\.position)
    var view = Viewport.fitting(framed, single: subject.usualWidth, in: size)
    if let width = options.zoom { view = .around(view.centre, width: width, in: size) }
    let here = subject.here.map { [MapMark(at: $0, kind: .here)] } ?? []
    var drawing = MapDrawing(
      view: view, marks: subject.shown + here + (try names(on: view)), outlines: .embedded(),
      characters: characters, at: SystemClock.seconds())
    // A picture knows the shape of countries.
    if options.output == .text, let bright = try subject.bright?(view) { drawing.bright = bright }
    return drawing
  }

  /// Marks for the cities in the picture, largest first; each is shown only if there is room for its name.
  private func names(on view: Viewport) throws -> [MapMark] {
    let cities = try context.send(CityWithin(box: view.area, limit: CityWithin.maximumLimit)).rows
    var seen = shown
    return try context.withoutStrayWards(
      cities.filter { view.cell(of: $0.position) != nil && seen.insert($0.id).inserted }
    ).prefix(most)
      .map { MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true) }
  }

  /// The terminal's size, less room for the caption and the prompt; 80 by 24 without a terminal.
  private var textSize: MapSize {
    let terminal = TerminalSize(descriptor: context.output.descriptor)
    let columns = options.width ?? terminal?.columns ?? 80
    // Square ground would need half as many rows as columns; a little flatter shows more of the surroundings.
    let rows = min(columns * 3 / 10, (terminal?.rows ?? .max) - 4)
    return size(columns: columns, rows: max(4, rows))
  }

  private func size(columns: Int, rows: Int) -> MapSize {
    MapSize(columns: options.width ?? columns, rows: options.height ?? rows)
  }
}

extension Context {
  /// The least inhabitants of a ward to look at, and of a city that has wards.
  private static let (ward, metropolis): (UInt64, UInt64) = (200_000, 1_000_000)
  /// The width of the area around a ward in which its city is.
  private static let wardsWidth = 100_000.0

  /// The cities without wards of Japan that are far from any city that has wards, because the list confuses them with a
  /// village of that name: Shinagawa, a part of Tokyo, is in a valley of Shikoku.
  func withoutStrayWards(_ cities: [CityRow]) throws -> [CityRow] {
    try cities.filter { city in
      guard city.country == "JP", (Self.ward..<Self.metropolis).contains(city.population ?? 0) else { return true }
      let names = try send(CityGet(id: city.id, with: [.alternates])).city.alternates ?? []
      guard names.contains(where: { $0.hasSuffix("区") || $0.hasSuffix(" qu") }) else { return true }
      let box = Viewport.around(city.position, width: Self.wardsWidth, in: MapSize(columns: 2, rows: 1)).area
      return try !send(CityWithin(box: box, limit: 1, population: Self.metropolis)).rows.isEmpty
    }
  }
}

/// Performs the verbs for maps, and those whose page has a map; `nil` for others.
///
/// - Throws: `CommandFailure`, `ClientError` or `OutputError`.
package func drawMap(_ verb: any Verb, in context: Context) throws -> ExitStatus? {
  switch verb {
  case let verb as MapVerb: try CityMap(verb: verb, context: context).draw()
  case let verb as BankMapVerb: try verb.draw(in: context)
  case let verb as ShowVerb where !verb.readsLines && context.showsPage:
    try verb.drawPage(in: context)
  case let verb as BankShowVerb where context.showsPage:
    try verb.drawPage(in: context)
  case let verb as DistanceVerb: try verb.measure(in: context)
  case let verb as CountryVerb: try verb.drawPage(in: context)
  default: nil
  }
}

/// The subject of a map.
struct MapSubject {
  var title: String
  /// The marks of the requested places.
  var marks: [MapMark]
  /// The starting point of the search, if there is one.
  var origin: MapMark?
  /// The saved position, which is marked if the map shows it anyway.
  var here: Position?
  /// The positions that the map must show, if other than those of ``shown``.
  var framed: [Position]?
  /// The cells of a view, row by row, whose land is highlighted; `nil` if none is.
  var bright: ((Viewport) throws -> [Bool]?)?
  /// The code of the country that is set apart, if there is one.
  var country: String?
  /// The width for a single place, in metres of ground.
  var usualWidth = Viewport.usualWidth

  /// All marks of the map.
  var shown: [MapMark] { (origin.map { [$0] } ?? []) + marks }
}

extension MapDrawing {
  /// The most places of a map in sentences.
  private static let mostSentences = 20

  /// Where the marks are, as seen from the first one: `Narva, 198 km east of Tallinn, EE`.
  fileprivate var sentences: String {
    guard let first = marks.first else { return "" }
    let coordinates = "\(decimalText(first.position.lat)),\(decimalText(first.position.lon))"
    let name = first.label.isEmpty ? coordinates : shown(first.label)
    let lines = marks.prefix(Self.mostSentences).dropFirst().map { place in
      let way = GreatCircle(from: first.position, to: place.position)
      let metres = UInt64(way.metres.rounded())
      let offset = metres == 0 ? "at" : "\(ValueForm.distance(metres)) \(way.direction) of"
      return "\(shown(place.label)), \(offset) \(name)\n"
    }
    let rest = marks.count - Self.mostSentences
    return (first.label.isEmpty ? name : "\(name), \(coordinates)") + "\n" + lines.joined()
      + (rest > 0 ? "and \(rest) more \(rest == 1 ? "place" : "places")\n" : "")
  }

  /// The map as lines of text, each with its line feed; with `isEmphasized`, borders and the grid are dim, coasts blue,
  /// signs and the subject bold.
  fileprivate func text(isEmphasized: Bool) -> String {
    let picture = picture()
    let lines = isEmphasized ? (0..<picture.size.rows).map { line(picture.row($0)) } : picture.lines
    return (lines + caption()).map { $0 + "\n" }.joined()
  }

  /// A row without trailing spaces.
  private func line(_ cells: ArraySlice<MapPicture.Cell>) -> String {
    let end = cells.lastIndex { $0 != .blank }.map { $0 + 1 } ?? cells.startIndex
    var (line, current) = ("", "")
    for cell in cells[..<end] {
      let style = style(of: cell.layer)
      // A space shows no emphasis, so a run continues over it.
      if style != current, cell.text != " " {
        line += (current.isEmpty ? "" : "\u{1B}[0m") + style
        current = style
      }
      line += cell.text
    }
    return line + (current.isEmpty ? "" : "\u{1B}[0m")
  }

  /// The escape sequence for a layer (ECMA-48 §8.3.117); empty for plain text.
  private func style(of layer: MapPicture.Layer) -> String {
    switch layer {
    case .grid, .border: "\u{1B}[2m"
    case .land: "\u{1B}[2;32m"
    case .brightLand: "\u{1B}[32m"
    case .coast: "\u{1B}[34m"
    case .mark, .chosenMark, .chosenLabel: "\u{1B}[1m"
    case .ground, .label, .text: ""
    }
  }
}
