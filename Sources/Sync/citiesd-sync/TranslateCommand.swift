import ArgumentParser
import FeedSync
import FrameService
import System

/// `translate`: collect names of cities in the users' languages.
struct Translate: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Collect the names of cities in many languages.",
    discussion: """
      Reads the message catalogues LANGUAGE/LC_MESSAGES/geonames.mo, which Debian's package libgeonames-common \
      installs, and writes the names of cities in the index that differ from the name in the title. citiesctl shows \
      them after titles in tables on a terminal; it reads ../share/cities/translations.bin beside its program's \
      folder.
      """)

  @Argument(help: ArgumentHelp("The index of the cities.", valueName: "index"))
  var index: String

  @Argument(help: ArgumentHelp("The file to write.", valueName: "out"))
  var output: String

  @Option(help: ArgumentHelp("The folder of languages.", valueName: "folder"))
  var from: String = TranslationFile.systemFolder

  func perform() throws -> SyncExit {
    let made = try TranslationFile(from: from, index: index)
    try made.write(to: output)
    try CommandOutput.line("\(output): \(made.names) names in \(made.languages) languages")
    return .success
  }
}
