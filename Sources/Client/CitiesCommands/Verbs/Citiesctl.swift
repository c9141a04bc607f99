internal import CitiesProtocol
internal import System

/// The program and its commands, for the parser, help, manual and completion; the verbs do the work.
enum Citiesctl {
  /// The verbs about cities, in the order of the help.
  private static let cityVerbs: [any Verb.Type] = [
    FindVerb.self, ShowVerb.self, NearVerb.self, TimeVerb.self, DistanceVerb.self, CountryVerb.self, MapVerb.self,
    BrowseVerb.self, PickVerb.self,
    HereVerb.self, WithinVerb.self, LocateVerb.self, MatchVerb.self, SearchVerb.self, SessionVerb.self,
  ]

  /// The verbs about the server, its data and the installation.
  private static let serverVerbs: [any Verb.Type] = [
    StatusVerb.self, RefreshVerb.self, WatchVerb.self, FeedVerb.self, DoctorVerb.self, IntrospectVerb.self,
    CallVerb.self, AssistantVerb.self, CompletionVerb.self, ShellInitVerb.self,
  ]

  /// Every verb that does not belong to a group.
  static let verbs: [any Verb.Type] = cityVerbs + serverVerbs

  /// Every subject whose commands follow its name.
  static let groups: [VerbGroup] = [.bank, .product, .rate]

  /// The names of verbs and groups.
  static var names: [String] { verbs.map { $0.name } + groups.map { $0.name } + ["help"] }

  /// Its commands, as the help arranges them.
  static var sections: [(title: String, commands: [CommandText])] {
    [
      ("Cities", cityVerbs.map { $0.command }), ("Banks and trade", groups.map { $0.text }),
      ("Server and data", serverVerbs.map { $0.command }),
    ]
  }

  static let text = CommandText(
    CommandText.program, usage: "<command> [<options>] …",
    abstract: "Look up cities, bank branches, products and exchange rates.",
    discussion: """
      'find' finds a city by a name in any language. 'search' lists the cities whose title, 'name, country', starts \
      with a prefix: 'par' finds Paris and Parma, 'paris, f' finds Paris, FR.

      Results go to standard output, messages to standard error. On a terminal, results are tables; elsewhere they are \
      values separated by tabs. --output chooses another format.

      Exit status: \(ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")).

      Environment: CITIES_SOCKET the server's socket; NO_COLOR no colour and bold text, unless the variable is empty; \
      CLICOLOR_FORCE colour and bold text in tables and maps even if standard output is not a terminal; CITIES_COLORS \
      how the parts of a table look, as in LS_COLORS: pairs of a name and SGR numbers, such as 'title=1:id=90', with \
      the names \(Colours.names); CITIES_PLAIN sentences in place of maps, \
      and numbered lines in 'pick', for screen readers, unless the variable is empty or 0; CITIESCTL_PAGER the pager for long tables on a terminal, or empty for none; PAGER \
      the same, if CITIESCTL_PAGER is not set; LESS the options of less(1), the default pager (FRSX if the variable is \
      not set).

      Files: $XDG_RUNTIME_DIR/cities/citiesd.sock the socket of the user's own server; /run/cities/citiesd.sock the \
      socket of the system's server; $XDG_CONFIG_HOME/cities/here the position of 'citiesctl here' \
      (~/.config/cities/here if the variable is not set).
      """)
}

/// Commands about one subject, which follow its name.
struct VerbGroup {
  let text: CommandText
  /// The commands, in the order of the help.
  let verbs: [any Verb.Type]
  /// The one that people mean if they leave its name out.
  let usual: any Verb.Type

  init(_ name: String, verbs: [any Verb.Type], usual: any Verb.Type, abstract: String, discussion: String) {
    let names = verbs.map { $0.name }.joined(separator: "|")
    text = CommandText(name, usage: "\(names) [<options>] …", abstract: abstract, discussion: discussion)
    (self.verbs, self.usual) = (verbs, usual)
  }

  var name: String { text.name }
}

/// The name and version of this program.
enum Product {
  /// Name and version, as sent to the server.
  static let title = "citiesctl \(ProgramVersion.number)"
  /// The line that `--version` prints.
  static let description = "\(title) (protocol \(ProtocolVersion.supported.map(String.init).joined(separator: ", ")))"
}
