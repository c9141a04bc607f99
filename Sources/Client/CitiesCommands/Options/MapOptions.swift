package import ArgumentParser

/// The options about how a map is drawn.
package struct MapOptions: ParsableArguments {
  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp(
      "The format; text if it is not given.",
      discussion: """
        svg is a picture with a legend, light or dark as the viewer is, 10 by 20 units for a cell. geojson has a \
        feature (RFC 7946), geo a line with a geo: URI (RFC 5870) for each place that is asked for.
        """,
      valueName: "format"))
  package var output: MapFormat = .text

  @Option(
    help: ArgumentHelp("Columns of the map (default: the terminal's, else 80).", valueName: "cells"),
    transform: RangedNumbers.count(from: 10, to: 2_000))
  package var width: UInt64?

  @Option(
    help: ArgumentHelp("Rows of the map (default: what suits the width and the terminal).", valueName: "cells"),
    transform: RangedNumbers.count(from: 4, to: 1_000))
  package var height: UInt64?

  @Option(
    help: ArgumentHelp("The ground that the width covers, in metres or with m or km.", valueName: "distance"),
    transform: RangedNumbers.distance)
  package var zoom: Double?

  @Option(help: ArgumentHelp("When to emphasize: auto, always or never.", valueName: "when"))
  package var color: ColourChoice = .auto

  /// For the parser.
  package init() {}

  /// Refuses a map of no ground at all.
  package func validate() throws {
    if zoom == 0 { throw ValidationError("--zoom wants more than 0 metres") }
  }
}

/// How a map is written.
package enum MapFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// Characters.
  case text
  /// A vector picture.
  case svg
  /// RFC 7946.
  case geojson
  /// RFC 5870, a URI a line.
  case geo
}
