internal import ArgumentParser
internal import CitiesProtocol

/// `feed list|show|enable|disable`: sources of data, which `citiesd-sync` shows and switches.
///
/// That program reads and writes the configuration with the rights of the caller; this one links nothing for that.
struct FeedVerb: Verb {
  static let configuration = CommandConfiguration.verb(
    "feed", usage: "list | show <feed> | enable <feed> [<url>] | disable [--forget] <feed>",
    abstract: "Show the sources of the data, and switch them on and off.",
    discussion: """
      'list' prints every feed with its state, format and source, separated by TABs; 'show' prints all settings of one. \
      'enable' gives a feed a source, its default one without a URL; 'disable' takes the source away. Both write a file \
      in the folder sync.d beside sync.json(5), with the rights of the caller, and need no restart. No source on the web \
      is asked before somebody has a question about banks or trade, or asks for a refresh.

      Data that is stored stays, unless --forget is given. After 'disable --forget cities' cities are answered from the \
      list that is installed with the program.

        citiesctl feed list
        citiesctl feed show swedbank-ee
        sudo citiesctl feed disable swedbank-ee
        sudo citiesctl feed disable --forget cities
      """)

  @Argument(
    help: ArgumentHelp("What to do, with which feed, and its source.", valueName: "words"),
    completion: .list(["list", "show", "enable", "disable"] + FeedName.all.map(\.rawValue)))
  var words: [String] = []

  @Flag(help: "With disable: remove the stored data of the feed as well.")
  var forget = false

  @OptionGroup(title: "Connection") var connection: ConnectionOptions

  func validate() throws {
    if words.isEmpty { throw ValidationError("say what to do: list, show, enable or disable") }
  }

  func perform(in context: Context) throws -> ExitStatus {
    let options = forget ? ["--forget"] : []
    let arguments = ["feed"] + words.prefix(1) + options + words.dropFirst()
    throw HelperProgram.beside(HelperProgram.sync).replaceThisProcess(arguments)
  }
}
