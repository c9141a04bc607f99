internal import ArgumentParser

/// The root of the command tree, for help, man page and completions; the verbs do the work.
struct Citiesctl: ParsableCommand {
  /// Every verb, in the order of the help.
  static let verbs: [any Verb.Type] = [
    Search.self, BrowseVerb.self, PickVerb.self, Show.self, Near.self, MapVerb.self, Here.self, SessionVerb.self,
    StatusVerb.self, RefreshVerb.self, WatchVerb.self, IntrospectVerb.self, Call.self,
  ]

  /// Every subject whose commands follow its name.
  static let groups: [any VerbGroup.Type] = [BankGroup.self, ProductGroup.self, RateGroup.self]

  static let configuration = CommandConfiguration(
    commandName: "citiesctl",
    abstract: "Ask the resident server about cities, banks and trade.",
    usage: "citiesctl <command> [<options>] …",
    discussion: """
      Three subjects: cities, which need no name; branches and cash machines ('citiesctl bank'); products and currency \
      rates ('citiesctl product', 'citiesctl rate').

      Cities are found by the start of their title, which is 'name, country': 'al' finds Alabama and Albuquerque, \
      'alabama, u' finds Alabama, US. Case is ignored; accents are significant unless --match folded is given.

      Results go to standard output, everything else to standard error. The format is an aligned table on a terminal and \
      values separated by TABs elsewhere, unless --output names another one.

      Exit status: \(ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")).

      Environment: CITIES_SOCKET names the server's socket; NO_COLOR switches emphasis off, if it is not empty; \
      CLICOLOR_FORCE switches it on, off a terminal too; CITIESCTL_PAGER names the pager for long tables on a terminal; \
      PAGER does so where that is not set.

      Files: $XDG_RUNTIME_DIR/cities/citiesd.sock is the socket of the user's own server; /run/cities/citiesd.sock is \
      that of the system's server; $XDG_CONFIG_HOME/cities/here keeps the position of 'citiesctl here' (~/.config \
      without the variable).
      """,
    version: Product.description,
    subcommands: Array(verbs.prefix(5)) + groups + Array(verbs.dropFirst(5)))
}
