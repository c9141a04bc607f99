internal import ArgumentParser
internal import CitiesProtocol

/// How many neighbours of a place are wanted, and how far away they may be.
struct ReachOptions: ParsableArguments {
  @Option(
    name: .customLong("limit"), help: ArgumentHelp("Rows at most, up to 1000 (default: 10).", valueName: "n"))
  private var limitWord: String?

  @Option(
    name: .customLong("radius"),
    help: ArgumentHelp("Only what lies within this distance, in metres or with m or km.", valueName: "distance"))
  private var radiusWord: String?

  /// Rows at most.
  var limit: UInt64 {
    (try? RangedNumbers.count("--limit", limitWord, from: 1, to: CityNear.maximumLimit)) ?? CityNear.defaultLimit
  }

  /// Metres.
  var radius: Double? { (try? RangedNumbers.distance("--radius", radiusWord)) ?? nil }

  /// Refuses what is out of range.
  func validate() throws {
    _ = try RangedNumbers.count("--limit", limitWord, from: 1, to: CityNear.maximumLimit)
    _ = try RangedNumbers.distance("--radius", radiusWord)
  }
}
