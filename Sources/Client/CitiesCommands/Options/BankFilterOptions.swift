internal import ArgumentParser
import Base
internal import CitiesProtocol

/// The filters of locations of banks.
struct BankFilterOptions: ParsableArguments {
  @Option(
    name: .customLong("bank"),
    help: ArgumentHelp(
      "Only this bank, or group of banks.",
      discussion: "swedbank-ee is a bank; swedbank is the group of all banks with this name before a hyphen.",
      valueName: "name"))
  private var bankWord: String?

  @Option(
    name: [.customShort("c", allowingJoined: true), .customLong("country")],
    help: ArgumentHelp("Only this country, by its code or its English name.", valueName: "country"))
  private var countryWord: String?

  @Option(
    name: .customLong("region"),
    help: ArgumentHelp(
      "Only this region; '' means those without a region.", valueName: "name"))
  private var regionWord: String?

  @Option(
    name: .customLong("kind"), help: ArgumentHelp("Only this kind: branch, atm, bna or unknown.", valueName: "kind"),
    completion: .list(BankRow.Kind.all.map(\.rawValue)))
  private var kindWord: String?

  @Flag(
    help: ArgumentHelp(
      "Only locations known to be open now (or --at).",
      discussion: """
        If locations are left out because their hours are unknown, a note on standard error says how many. Hours are \
        unknown if the source gives none, or if any part of them cannot be read.
        """))
  var openNow = false

  @OptionGroup var moment: MomentOption

  /// The conditions; `nil` if there are none.
  var conditions: BankConditions? {
    let kind = kindWord.map { BankRow.Kind(rawValue: $0.lowercased()) }
    let conditions = BankConditions(
      country: countryWord, region: regionWord, kind: kind, bank: bankWord, open: openNow ? true : nil, at: moment.at)
    return conditions == BankConditions() ? nil : conditions
  }

  /// Whether anything but a moment was given.
  var narrows: Bool { openNow || [bankWord, countryWord, regionWord, kindWord].contains { $0 != nil } }

  /// Refuses empty names, which are usually unset variables; an empty region is one: locations without it exist.
  func validate() throws {
    for (option, word) in [("--bank", bankWord), ("--country", countryWord), ("--kind", kindWord)] where word == "" {
      throw ValidationError("\(option) must not be empty")
    }
  }
}

/// The moment at which opening hours are judged.
struct MomentOption: ParsableArguments {
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Judge opening hours at this time (default: now).",
      discussion: """
        A time with its offset as in RFC 3339, such as 2026-03-01T12:00:00+02:00; or a day (2026-03-01, its noon) or a time \
        of today (14:30), on the clock of each location.
        """,
      valueName: "time"))
  private var atWord: String?

  /// RFC 3339 text, a day, or a time of day.
  var at: String? { atWord }

  /// Refuses anything but a moment.
  func validate() throws { try Self.check(atWord) }

  /// Refuses a value of `--at` that the server would not understand.
  static func check(_ word: String?) throws {
    guard let word, (try? AskedMoment(word)) == nil else { return }
    throw ValidationError(
      """
      --at must be a time with its offset, such as 2026-03-01T12:00:00+02:00, a day (2026-03-01) or a time of day (14:30), \
      not '\(ArgumentRewriter.unmarked(word))'
      """)
  }
}
