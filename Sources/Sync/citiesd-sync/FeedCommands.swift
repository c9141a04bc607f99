import CitiesProtocol
import FeedSync
import Glibc
import Logging
import System

extension SyncCommand {
  /// `feed`: show feeds, and switch them on and off; `citiesctl feed` runs it.
  static let feed = SyncCommand(
    "feed", "List feeds, or turn them on and off.", commands: [feedList, feedShow, feedEnable, feedDisable])

  /// One line per feed.
  private static let feedList = SyncCommand(
    "list", "List the feeds with their state, format and source.",
    discussion: "The columns are name, on or off, format and source, separated by tabs."
  ) { _ in
    let configuration = try FeedSwitch().configuration()
    for feed in configuration.names {
      let description = FeedDescription(feed, configuration)
      let state = description.source == nil ? "off" : "on"
      try CommandOutput.row([feed.rawValue, state, description.format, description.source ?? ""])
    }
    return .success
  }

  /// The configuration of one feed.
  private static let feedShow = SyncCommand(
    "show", "Print the settings of a feed.", [.argument("feed", "The feed.")]
  ) { words in
    let settings = FeedSwitch()
    let description = FeedDescription(try settings.feed(called: words.arguments[0]), try settings.configuration())
    try CommandOutput.line("feed: \(description.feed.rawValue)")
    try CommandOutput.line("state: \(description.source == nil ? "off" : "on")")
    try CommandOutput.line("format: \(description.format)")
    try CommandOutput.line("source: \(description.source ?? "none")")
    for line in description.details { try CommandOutput.line("\(line.name): \(line.value)") }
    return .success
  }

  /// Gives a feed a source.
  private static let feedEnable = SyncCommand(
    "enable", "Turn a feed on.",
    [
      .argument("feed", "The feed."),
      .argument(
        "url",
        """
        The source: an https: URL, an http: URL of this machine, an absolute path or a file: URL; - reads it from \
        standard input.
        """, isRequired: false),
    ],
    discussion: """
      Writes the file feed-NAME.json in the folder sync.d beside sync.json, or removes it if that is enough. Nothing \
      is downloaded before the first request for the data. If the URL may have a secret (after ? or #), or the feed \
      has headers, only the owner can read the file, and for the system's configuration the group cities.
      """
  ) { words in
    let settings = FeedSwitch()
    let name = try settings.feed(called: words.arguments[0])
    let url = words.arguments.dropFirst().first
    try settings.enable(name, url: url.is("-") ? FeedSwitch.inputSource() : url).report(of: name, "on")
    SyncEngine.updateReports(log: commandLog())
    return .success
  }

  /// Removes a feed's source.
  private static let feedDisable = SyncCommand(
    "disable", "Turn a feed off.",
    [.flag("--forget", "Remove the stored data as well."), .argument("feed", "The feed.")],
    discussion: """
      Writes the file feed-NAME.json in the folder sync.d beside sync.json. --forget also removes the stored \
      data; without data of the feed cities, the installed list is in use.

        # Return to the installed list of cities
        sudo citiesctl feed disable --forget cities
      """
  ) { words in
    let settings = FeedSwitch()
    let name = try settings.feed(called: words.arguments[0])
    try settings.disable(name).report(of: name, "off")
    guard words[option: "--forget"] != nil else {
      SyncEngine.updateReports(log: commandLog())
      return .success
    }
    try SyncEngine.configured(log: commandLog()).forget(name)
    try CommandOutput.line("\(words.arguments[0]): its data is removed")
    return .success
  }
}

extension FeedSwitch.Change {
  /// Prints the change of `feed`, now in the requested `state`.
  fileprivate func report(of feed: FeedName, _ state: String) throws {
    switch self {
    case .none: try CommandOutput.line("\(feed.rawValue): \(state) already")
    case .wrote(let path): try CommandOutput.line("\(feed.rawValue): \(state) (wrote \(path))")
    case .removed(let path): try CommandOutput.line("\(feed.rawValue): \(state) (removed \(path))")
    }
  }
}

private func commandLog() -> Logger {
  Logger(label: "citiesd-sync") { CommandLog(name: $0, bar: ProgressBar()) }
}
