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
    name: .customLong("kind"), parsing: .singleValue,
    help: ArgumentHelp(
      "Only this kind: branch, atm, bna, unknown, or 'cash machine'.",
      discussion: """
        An atm is a cash machine, a bna one that also takes deposits; 'cash machine' means both. For several kinds, \
        separate them by commas, or repeat the option.
        """,
      valueName: "kind"),
    completion: .list(BankRow.Kind.all.map(\.rawValue)))
  private var kindWords: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Only locations known to be open now, or at the time of --at.",
      discussion: """
        If locations are left out because their hours are unknown, a note on standard error says how many. Hours are \
        unknown if the source gives none, or if any part of them cannot be read.
        """))
  var openNow = false

  @OptionGroup var moment: MomentOption

  /// The conditions; `nil` if there are none.
  var conditions: BankConditions? {
    let kinds = (try? LocationKinds.read(kindWords)) ?? []
    let conditions = BankConditions(
      country: countryWord, region: regionWord, kind: kinds.count == 1 ? kinds[0] : nil,
      kinds: kinds.count > 1 ? kinds : nil, bank: bankWord, open: openNow ? true : nil, at: moment.at)
    return conditions == BankConditions() ? nil : conditions
  }

  /// Whether anything but a moment was given.
  var narrows: Bool {
    openNow || !kindWords.isEmpty || [bankWord, countryWord, regionWord].contains { $0 != nil }
  }

  /// Refuses unknown kinds, and empty names, which are usually unset variables; an empty region is one: locations without
  /// it exist.
  func validate() throws {
    for (option, word) in [("--bank", bankWord), ("--country", countryWord)] where word == "" {
      throw ValidationError("\(option) must not be empty")
    }
    _ = try LocationKinds.read(kindWords)
  }
}

/// Reads kinds of locations, as the server or people call them.
enum LocationKinds {
  private static let names: [(name: String, kinds: [BankRow.Kind])] =
    BankRow.Kind.all.map { ($0.rawValue, [$0]) } + [
      ("branches", [.branch]), ("atms", [.atm]), ("bnas", [.bna]), ("cash machine", machines),
      ("cash machines", machines), ("cashpoint", machines), ("cash", machines),
    ]
  private static let machines: [BankRow.Kind] = [.atm, .bna]

  /// The kinds that the values of `--kind` name, each once; none without values.
  ///
  /// - Throws: `ValidationError` that lists the kinds with their meaning.
  static func read(_ words: [String]) throws -> [BankRow.Kind] {
    var kinds: [BankRow.Kind] = []
    for word in words.flatMap({ OutputOptions.names($0) }) {
      let name = ArgumentRewriter.unmarked(word)
      guard !name.isEmpty else { throw ValidationError("--kind must not be empty") }
      let asked = name.lowercased().map { $0 == "-" || $0 == "_" ? " " : String($0) }.joined()
      guard let found = names.first(where: { $0.name == asked }) else {
        throw ValidationError(
          "no such kind: '\(name)'; use branch, atm (a cash machine), bna (one that also takes deposits), unknown, or "
            + "'cash machine' for atm and bna")
      }
      kinds += found.kinds.filter { !kinds.contains($0) }
    }
    return kinds
  }
}

/// The moment at which opening hours are judged.
struct MomentOption: ParsableArguments {
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Show what is open at this time (default: now).",
      discussion: """
        A time with its offset as in RFC 3339, such as 2026-03-01T12:00:00+02:00; or, in the local time of each location, \
        a day (2026-03-01, at noon) or a time of today (14:30).
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
