internal import ArgumentParser
internal import CitiesProtocol

/// `feed list|show|enable|disable`: sources of data, which `citiesd-sync` shows and switches.
///
/// That program reads and writes the configuration with the rights of the caller; this one links nothing for that.
struct FeedVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "feed",
    usage: """
      list
      show <feed>
      enable <feed> [<url>]
      disable [--forget] <feed>
      """,
    abstract: "List the sources of data, or turn them on and off.",
    discussion: """
      'list' prints each feed with its state, format and source, separated by tabs; 'show' prints all settings of \
      one. 'enable' gives a feed a source: its default one, or the URL. 'disable' takes it away. Both write a file \
      in the folder sync.d beside sync.json(5), with the rights of the caller; nothing needs to be restarted. No web \
      source is asked before somebody asks about banks or trade, or for a refresh.

      Stored data stays unless --forget is given. After 'disable --forget cities', cities are answered from the list \
      that comes with the program.

        # List the feeds
        citiesctl feed list
        # Show the settings of one
        citiesctl feed show swedbank-ee
        # Stop asking this bank
        sudo citiesctl feed disable swedbank-ee
        # Return to the shipped list of cities
        sudo citiesctl feed disable --forget cities
      """)

  @Argument(
    help: ArgumentHelp("list, show, enable or disable; a feed; a URL.", valueName: "command"),
    completion: .list(["list", "show", "enable", "disable"] + FeedName.all.map(\.rawValue)))
  var words: [String] = []

  @Flag(help: "With disable: remove the stored data as well.")
  var forget = false

  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  func validate() throws {
    if words.isEmpty { throw ValidationError("missing argument: list, show, enable or disable") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let options = forget ? ["--forget"] : []
    let arguments = ["feed"] + words.prefix(1) + options + words.dropFirst()
    throw HelperProgram.beside(HelperProgram.sync).replaceThisProcess(arguments)
  }
}
