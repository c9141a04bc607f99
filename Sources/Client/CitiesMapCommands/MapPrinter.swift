internal import CitiesClient
package import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import System

/// Writes a map in the format that was requested: the one switch over all of them.
struct MapPrinter {
  /// Rows of a map beside a page; the scale is in a twelfth.
  private static let rowsBesidePage = 11

  var options = MapOptions()
  let context: Context
  let connection: ConnectionOptions
  /// The cities that the map shows anyhow, by id.
  var shown: Set<UInt64> = []
  /// How many of those around them may be named.
  var most = Int.max

  /// Writes `subject`; `geoJSON` writes its places with all that is known of them.
  ///
  /// - Returns: that something was found.
  /// - Throws: what `geoJSON` throws, and `ClientError`.
  func write(_ subject: MapSubject, geoJSON: () throws -> Void) throws -> ExitStatus {
    switch options.output {
    case .text:
      context.output.write(try text(of: subject, in: textSize, options.color))
    case .svg:
      let drawing = try drawing(of: subject, in: size(columns: 80, rows: 30), .unicode)
      context.output.write(VectorPicture(drawing, title: subject.title).svg)
    case .geojson:
      try geoJSON()
    case .geo:
      for mark in subject.marks { context.output.write(geoURI(mark.position) + "\n") }
    }
    return .found
  }

  /// The map as text, its caption included.
  private func text(of subject: MapSubject, in size: MapSize, _ color: ColourChoice) throws -> String {
    let drawing = try drawing(of: subject, in: size, Charset(environment: context.environment))
    let colour = color.applies(toTerminal: context.output.isTerminal, environment: context.environment)
    return drawing.text(isEmphasized: colour)
  }

  /// The lines of a small map beside a page, without a legend.
  func lines(of subject: MapSubject, columns: Int, _ color: ColourChoice) throws -> [String] {
    try text(of: subject, in: MapSize(columns: columns, rows: Self.rowsBesidePage), color)
      .split(separator: "\n", omittingEmptySubsequences: false).prefix(Self.rowsBesidePage + 1).map(String.init)
  }

  private func drawing(
    of subject: MapSubject, in size: MapSize, _ characters: Charset
  ) throws -> MapDrawing {
    let framed = subject.framed ?? subject.shown.map(\.position)
    var view = Viewport.fitting(framed, single: subject.usualWidth, in: size)
    if let width = options.zoom { view = .around(view.centre, width: width, in: size) }
    var drawing = MapDrawing(
      view: view, marks: subject.shown + (try names(on: view)), outlines: try .embedded(),
      characters: characters, at: SystemClock.seconds())
    if let bright = try subject.bright?(view) { drawing.bright = bright }
    return drawing
  }

  /// Cities in the picture, whose names make it readable, the largest first; each is shown only where there is room for
  /// its name.
  private func names(on view: Viewport) throws -> [MapMark] {
    let cities = try context.send(CityWithin(box: view.area, limit: CityWithin.maximumLimit), connection).rows
    var seen = shown
    return cities.filter { view.cell(of: $0.position) != nil && seen.insert($0.id).inserted }.prefix(most)
      .map { MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true) }
  }

  /// The terminal's size with room for the caption and the prompt; 80 by 24 elsewhere.
  private var textSize: MapSize {
    let terminal = TerminalSize(descriptor: context.output.descriptor)
    let columns = options.width ?? terminal?.columns ?? 80
    // As wide as high on the ground would be half as many rows; a little flatter shows more of what is around.
    let rows = min(columns * 3 / 10, (terminal?.rows ?? .max) - 4)
    return size(columns: columns, rows: max(4, rows))
  }

  private func size(columns: Int, rows: Int) -> MapSize {
    MapSize(columns: options.width ?? columns, rows: options.height ?? rows)
  }
}

/// Performs the verbs about maps, and those about one thing whose page has a map; `nil` for others.
///
/// - Throws: `CommandFailure`, `ClientError` or `OutputError`.
package func drawMap(_ verb: any Verb, in context: Context) throws -> ExitStatus? {
  switch verb {
  case let verb as MapVerb: try CityMap(verb: verb, context: context).draw()
  case let verb as BankMapVerb: try BankMap(verb: verb, context: context).draw()
  case let verb as ShowVerb where !verb.readsLines && verb.showsPage(in: context):
    try CityPage(verb: verb, context: context).write()
  case let verb as BankShowVerb where verb.showsPage(in: context):
    try LocationPage(verb: verb, context: context).write()
  case let verb as DistanceVerb: try Distance(verb: verb, context: context).write()
  case let verb as CountryVerb: try CountryPage(verb: verb, context: context).write()
  default: nil
  }
}

/// The subject of a map.
struct MapSubject {
  var title: String
  /// The places that are requested, each with its mark.
  var marks: [MapMark]
  /// Where they were looked for from, if that is known.
  var origin: MapMark?
  /// The positions that the map must show, if they are not all those of ``shown``.
  var framed: [Position]?
  /// The cells of a view, row by row, whose land is brought out; `nil` if none is.
  var bright: ((Viewport) throws -> [Bool]?)?
  /// The ground that the width covers if there is but one place, in metres.
  var usualWidth = Viewport.usualWidth

  /// All that the map must show.
  var shown: [MapMark] { (origin.map { [$0] } ?? []) + marks }
}

extension MapDrawing {
  /// The map as lines of text, each with its line feed, emphasized where escape sequences may be written: borders and
  /// the grid dim, coasts blue, signs and the subject bold.
  fileprivate func text(isEmphasized: Bool) -> String {
    let picture = picture()
    let lines = isEmphasized ? (0..<picture.size.rows).map { line(picture.row($0)) } : picture.lines
    return (lines + caption()).map { $0 + "\n" }.joined()
  }

  /// One row without spaces at its end.
  private func line(_ cells: ArraySlice<MapPicture.Cell>) -> String {
    let end = cells.lastIndex { $0 != .blank }.map { $0 + 1 } ?? cells.startIndex
    var (line, current) = ("", "")
    for cell in cells[..<end] {
      let style = style(of: cell.layer)
      // A space shows no emphasis, so that a run continues over it.
      if style != current, cell.text != " " {
        line += (current.isEmpty ? "" : "\u{1B}[0m") + style
        current = style
      }
      line += cell.text
    }
    return line + (current.isEmpty ? "" : "\u{1B}[0m")
  }

  /// The sequence before the text of a layer (ECMA-48 §8.3.117); empty for plain text.
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

extension Charset {
  /// Braille if the locale is UTF-8, otherwise ASCII.
  init(environment: (String) -> String?) { self = LocaleCodeset.isUTF8(environment) ? .unicode : .ascii }
}
