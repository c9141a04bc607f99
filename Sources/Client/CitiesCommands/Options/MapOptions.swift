internal import ArgumentParser

/// The options about how a map is drawn.
package struct MapOptions: ParsableArguments {
  @Option(
    name: [.customLong("output"), .customShort("o")],
    help: ArgumentHelp(
      "The format: text, svg, geojson or geo (default: text).",
      discussion: """
        svg is a picture with a legend, light or dark as the viewer is, 10 by 20 units for a cell. geojson has a \
        feature (RFC 7946), geo a line with a geo: URI (RFC 5870) for each place.
        """,
      valueName: "format"),
    completion: Choice.completion(of: MapFormat.self))
  private var outputWord: String?

  @Option(
    name: .customLong("width"),
    help: ArgumentHelp("Columns of the map, from 10 (default: the terminal's, else 80).", valueName: "cells"))
  private var widthWord: String?

  @Option(
    name: .customLong("height"),
    help: ArgumentHelp(
      "Rows of the map, from 4 (default: what suits the width and the terminal).", valueName: "cells"))
  private var heightWord: String?

  @Option(
    name: .customLong("zoom"),
    help: ArgumentHelp("The ground that the width covers, in metres or with m or km.", valueName: "distance"))
  private var zoomWord: String?

  @Option(
    name: .customLong("color"),
    help: ArgumentHelp("When to emphasize: auto, always or never (default: auto).", valueName: "when"),
    completion: Choice.completion(of: ColourChoice.self))
  private var colorWord: String?

  /// For the parser.
  package init() {}

  /// How the map is written.
  package var output: MapFormat { outputWord.flatMap(MapFormat.init) ?? .text }

  /// Columns of cells that were asked for.
  package var width: Int? { (try? Self.cells("--width", widthWord, from: 10, to: 2_000)) ?? nil }

  /// Rows of cells that were asked for.
  package var height: Int? { (try? Self.cells("--height", heightWord, from: 4, to: 1_000)) ?? nil }

  /// Metres that the width covers, if that was asked for.
  package var zoom: Double? { (try? RangedNumbers.distance("--zoom", zoomWord)) ?? nil }

  /// When to emphasize.
  package var color: ColourChoice { colorWord.flatMap(ColourChoice.init) ?? .auto }

  private static func cells(_ option: String, _ word: String?, from least: UInt64, to most: UInt64) throws -> Int? {
    try RangedNumbers.count(option, word, from: least, to: most).map { Int($0) }
  }

  /// Refuses unknown names, what is out of range, and a map of no ground at all.
  package func validate() throws {
    let _: MapFormat? = try Choice.read("--output", outputWord)
    let _: ColourChoice? = try Choice.read("--color", colorWord)
    _ = try Self.cells("--width", widthWord, from: 10, to: 2_000)
    _ = try Self.cells("--height", heightWord, from: 4, to: 1_000)
    if try RangedNumbers.distance("--zoom", zoomWord) == 0 { throw ValidationError("--zoom wants more than 0 metres") }
  }
}

/// How a map is written.
package enum MapFormat: String, CaseIterable, Sendable {
  /// Characters.
  case text
  /// A vector picture.
  case svg
  /// RFC 7946.
  case geojson
  /// RFC 5870, one URI per line.
  case geo
}
