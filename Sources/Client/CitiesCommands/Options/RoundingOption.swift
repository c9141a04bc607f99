internal import ArgumentParser
internal import CitiesProtocol

/// When converted amounts are rounded.
struct RoundingOption: ParsableArguments {
  @Option(
    name: .customLong("rounding"),
    help: ArgumentHelp(
      "When to round, half to even: once after the last conversion (the default), or step, after each.",
      valueName: "when"),
    completion: Choice.completion(of: RoundingMode.self))
  private var roundingWord: String?

  /// The mode; `nil` is the default.
  var mode: RoundingMode? { roundingWord.flatMap(RoundingMode.init) }

  /// Refuses unknown names.
  func validate() throws { let _: RoundingMode? = try Choice.read("--rounding", roundingWord) }
}
