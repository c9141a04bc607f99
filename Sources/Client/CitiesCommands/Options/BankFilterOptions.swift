internal import ArgumentParser
internal import CitiesProtocol

/// Which locations of banks a question is about.
struct BankFilterOptions: ParsableArguments {
  @Option(
    name: .customLong("bank"),
    help: ArgumentHelp("Only this bank; 'swedbank' stands for swedbank-ee, -lv and -lt.", valueName: "name"))
  private var bankWord: String?

  @Option(
    name: [.customShort("c", allowingJoined: true), .customLong("country")],
    help: ArgumentHelp("Only this country, by its code or English name.", valueName: "country"))
  private var countryWord: String?

  @Option(
    name: .customLong("region"),
    help: ArgumentHelp(
      "Only this region, whatever its case and accents; '' for locations without one.", valueName: "name"))
  private var regionWord: String?

  @Option(
    name: .customLong("kind"), help: ArgumentHelp("Only branch, atm, bna or unknown.", valueName: "kind"),
    completion: .list(BankRow.Kind.all.map(\.rawValue)))
  private var kindWord: String?

  @Flag(
    help: ArgumentHelp(
      "Only locations known to be open now, or at the moment of --at.",
      discussion: """
        If locations are left out because their hours are unknown, a note on standard error says how many. Hours are \
        unknown where the source gives none, or where any part of its text is not understood.
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
      throw ValidationError("\(option) wants a name")
    }
  }
}

/// The moment that opening hours are asked about.
struct MomentOption: ParsableArguments {
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "The moment that 'open' is about (RFC 3339, such as 2026-03-01T12:00:00+02:00; default: now).",
      valueName: "moment"))
  private var atWord: String?

  /// RFC 3339 text.
  var at: String? { atWord }

  /// Refuses anything but a moment.
  func validate() throws {
    guard let atWord, Timestamp(text: atWord).secondsSince1970 == nil else { return }
    throw ValidationError(
      "--at wants a moment with its offset, such as 2026-03-01T12:00:00+02:00, not '\(ArgumentRewriter.unmarked(atWord))'"
    )
  }
}
