package import ArgumentParser
internal import CitiesProtocol
internal import System

/// The root of the command tree, for help, man page and completions; the verbs do the work.
struct Citiesctl: ParsableCommand {
  /// Every verb, in the order of the help.
  static let verbs: [any Verb.Type] = [
    SearchVerb.self, FindVerb.self, BrowseVerb.self, PickVerb.self, ShowVerb.self, NearVerb.self, MapVerb.self,
    HereVerb.self, SessionVerb.self,
    StatusVerb.self, DoctorVerb.self, RefreshVerb.self, WatchVerb.self, FeedVerb.self, IntrospectVerb.self,
    CallVerb.self,
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
    subcommands: Array(verbs.prefix(6)) + groups + Array(verbs.dropFirst(6)))
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
}

extension CommandConfiguration {
  /// The configuration of a verb; `usage` follows the name in its one line of usage.
  static func verb(
    _ name: String, in group: String? = nil, usage: String, abstract: String, discussion: String = ""
  ) -> Self {
    let program = group.map { "citiesctl \($0)" } ?? "citiesctl"
    // With the name of the program as super-command the parser can be given the verb as its root.
    return .init(
      commandName: name, _superCommandName: program, abstract: abstract, usage: "\(program) \(name) \(usage)",
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
