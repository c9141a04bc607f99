internal import ArgumentParser

/// The options about how many rows are wanted; the verb says how many there may be.
struct PageOptions: ParsableArguments {
  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp("Rows at most, up to 1000 (default: 20).", valueName: "n"))
  private var limitWord: String?

  @Option(
    name: .customLong("offset"), help: ArgumentHelp("Rows to skip (default: 0).", valueName: "n"))
  private var offsetWord: String?

  @Flag(help: "All rows.")
  var all = false

  @Flag(help: "Only the number of rows, which is exact.")
  var count = false

  /// The largest limit, whatever the verb.
  static let maximumLimit: UInt64 = 1_000

  /// Rows to skip.
  var offset: UInt64 { (try? RangedNumbers.count("--offset", offsetWord, from: 0)) ?? 0 }

  /// Rows at most, `fallback` if nothing is said.
  func wanted(_ fallback: UInt64) -> UInt64 {
    if count { return 0 }
    return all ? .max : (try? RangedNumbers.count("--limit", limitWord, from: 1, to: Self.maximumLimit)) ?? fallback
  }

  /// Refuses what is out of range or contradicts itself.
  func validate() throws {
    _ = try RangedNumbers.count("--limit", limitWord, from: 1, to: Self.maximumLimit)
    _ = try RangedNumbers.count("--offset", offsetWord, from: 0)
    if all && count { throw ValidationError("--all and --count exclude each other") }
    if all && limitWord != nil { throw ValidationError("--all and --limit exclude each other") }
    if count && (limitWord ?? offsetWord) != nil { throw ValidationError("--count takes no --limit and no --offset") }
  }
}
