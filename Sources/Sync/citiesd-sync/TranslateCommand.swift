import FeedSync
import System

extension SyncCommand {
  /// `translate`: collect names of cities in the users' languages.
  static let translate = SyncCommand(
    "translate", "Collect the names of cities in many languages.",
    [
      .argument("index", "The index of the cities."), .argument("out", "The file to write."),
      .option("--from", "folder", "The folder of languages (default: \(TranslationFile.systemFolder))."),
    ],
    discussion: """
      Reads the message catalogues LANGUAGE/LC_MESSAGES/geonames.mo, which Debian's package libgeonames-common \
      installs, and writes the names of cities in the index that differ from the name in the title. citiesctl shows \
      them after titles in tables on a terminal; it reads ../share/cities/translations.bin beside its program's \
      folder.
      """
  ) { words in
    let folder = words[option: "--from"] ?? TranslationFile.systemFolder
    let made = try TranslationFile(from: folder, index: words.arguments[0])
    try made.write(to: words.arguments[1])
    try CommandOutput.line("\(words.arguments[1]): \(made.names) names in \(made.languages) languages")
    return .success
  }
}
