package import ArgumentParser
internal import CitiesProtocol
internal import System

/// The root of the command tree, for help, man page and completions; the verbs do the work.
struct Citiesctl: ParsableCommand {
  /// The verbs about cities, in the order of the help.
  private static let cityVerbs: [any Verb.Type] = [
    SearchVerb.self, FindVerb.self, ShowVerb.self, NearVerb.self, WithinVerb.self, LocateVerb.self, MatchVerb.self,
    MapVerb.self, HereVerb.self, TimeVerb.self, BrowseVerb.self, PickVerb.self, SessionVerb.self,
  ]

  /// The verbs about the server, its data and the installation.
  private static let serverVerbs: [any Verb.Type] = [
    StatusVerb.self, RefreshVerb.self, WatchVerb.self, FeedVerb.self, DoctorVerb.self, IntrospectVerb.self,
    CallVerb.self,
  ]

  /// Every verb that does not belong to a group.
  static let verbs: [any Verb.Type] = cityVerbs + serverVerbs

  /// Every subject whose commands follow its name.
  static let groups: [any VerbGroup.Type] = [BankGroup.self, ProductGroup.self, RateGroup.self]

  /// The names of verbs and groups.
  static var names: [String] { verbs.map { $0._commandName } + groups.map { $0._commandName } + ["help"] }

  static let configuration = CommandConfiguration(
    commandName: "citiesctl",
    abstract: "Look up cities, bank branches, products and exchange rates.",
    usage: "citiesctl <command> [<options>] …",
    discussion: """
      'find' finds a city by a name in any language. 'search' lists the cities whose title, 'name, country', starts \
      with a prefix: 'par' finds Paris and Parma, 'paris, f' finds Paris, FR.

      Results go to standard output, messages to standard error. On a terminal, results are tables; elsewhere they are \
      values separated by tabs. --output chooses another format.

      Exit status: \(ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")).

      Environment: CITIES_SOCKET the server's socket; NO_COLOR no colour and bold text, unless the variable is empty; \
      CLICOLOR_FORCE colour and bold text even if standard output is not a terminal; CITIESCTL_PAGER the pager for \
      long tables on a terminal, or empty for none; PAGER the same, if CITIESCTL_PAGER is not set; LESS the options of \
      less(1), the default pager (FRSX if the variable is not set).

      Files: $XDG_RUNTIME_DIR/cities/citiesd.sock the socket of the user's own server; /run/cities/citiesd.sock the \
      socket of the system's server; $XDG_CONFIG_HOME/cities/here the position of 'citiesctl here' \
      (~/.config/cities/here if the variable is not set).
      """,
    version: Product.description,
    groupedSubcommands: [
      CommandGroup(name: "Cities", subcommands: cityVerbs),
      CommandGroup(name: "Banks and trade", subcommands: groups),
      CommandGroup(name: "Server and data", subcommands: serverVerbs),
    ])
}

/// One command of `citiesctl`: its arguments, and what it does with a ``Context``.
package protocol Verb: ParsableCommand {
  /// How the server is reached.
  var connection: ConnectionOptions { get }

  /// Does it.
  ///
  /// - Returns: How the process ends; the caller flushes the output.
  /// - Throws: ``CommandFailure``, `ClientError` or ``OutputError``.
  func perform(in context: Context) throws -> ExitStatus
}

extension Verb {
  /// The verb with these arguments, or `nil` if the parser must decide.
  static func read(_ words: [String]) -> (any Verb)? { QuickReader.read(Self.self, words) }
}

/// Commands about one subject, which follow its name.
protocol VerbGroup: ParsableCommand {
  /// The commands, in the order of the help.
  static var verbs: [any Verb.Type] { get }
  /// The one that people mean if they leave its name out.
  static var usual: any Verb.Type { get }
}

extension CommandConfiguration {
  /// The configuration of a verb; `usage` is what follows the name, in a line for each form.
  static func verb(
    _ name: String, in group: String? = nil, usage: String, abstract: String, discussion: String = ""
  ) -> Self {
    let program = group.map { "citiesctl \($0)" } ?? "citiesctl"
    // With the name of the program as super-command the parser can be given the verb as its root.
    return .init(
      commandName: name, _superCommandName: program, abstract: abstract,
      usage: usage.split(separator: "\n").map { "\(program) \(name) \($0)" }.joined(separator: "\n"),
      discussion: discussion)
  }

  /// The configuration of a group.
  static func group(_ name: String, _ verbs: [any Verb.Type], abstract: String, discussion: String) -> Self {
    let names = verbs.map { $0._commandName }.joined(separator: "|")
    return .init(
      commandName: name, abstract: abstract, usage: "citiesctl \(name) \(names) [<options>] …", discussion: discussion,
      subcommands: verbs)
  }
}

/// The name and version of this program.
enum Product {
  /// Name and version, as sent to the server.
  static let title = "citiesctl \(ProgramVersion.number)"
  /// The line that `--version` prints.
  static let description = "\(title) (protocol \(ProtocolVersion.supported.map(String.init).joined(separator: ", ")))"
}
