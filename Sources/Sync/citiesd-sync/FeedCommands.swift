import ArgumentParser
import CitiesProtocol
import FeedSync
import Folders
import FrameService
import Glibc
import Logging
import System

/// `feed`: show feeds, and switch them on and off; `citiesctl feed` runs it.
struct FeedGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed", abstract: "List feeds, or turn them on and off.",
    subcommands: [FeedList.self, FeedShow.self, FeedEnable.self, FeedDisable.self])
}

/// `feed list`: one line per feed.
struct FeedList: SyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the feeds with their state, format and source.",
    discussion: "The columns are name, on or off, format and source, separated by tabs.")

  func perform() throws -> SyncExit {
    let configuration = try FeedSwitch().configuration()
    for feed in configuration.names {
      let description = FeedDescription(feed, configuration)
      let state = description.source == nil ? "off" : "on"
      try CommandOutput.row([feed.rawValue, state, description.format, description.source ?? ""])
    }
    return .success
  }
}

/// `feed show`: the configuration of one feed.
struct FeedShow: SyncCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print the settings of a feed.")

  @Argument(help: ArgumentHelp("The feed.", valueName: "feed"))
  var feed: String

  func perform() throws -> SyncExit {
    let settings = FeedSwitch()
    let description = FeedDescription(try settings.feed(called: feed), try settings.configuration())
    try CommandOutput.line("feed: \(description.feed.rawValue)")
    try CommandOutput.line("state: \(description.source == nil ? "off" : "on")")
    try CommandOutput.line("format: \(description.format)")
    try CommandOutput.line("source: \(description.source ?? "none")")
    for line in description.details { try CommandOutput.line("\(line.name): \(line.value)") }
    return .success
  }
}

/// `feed enable`: give a feed a source.
struct FeedEnable: SyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Turn a feed on.",
    discussion: """
      Writes the file feed-NAME.json in the folder sync.d beside sync.json, or removes it if that is enough. Nothing \
      is downloaded before the first request for the data.
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "feed"))
  var feed: String

  @Argument(
    help: ArgumentHelp(
      "The source: an https: URL, an http: URL of this machine, an absolute path or a file: URL.", valueName: "url"))
  var url: String?

  func perform() throws -> SyncExit {
    let settings = FeedSwitch()
    let name = try settings.feed(called: feed)
    try settings.enable(name, url: url).report(of: name, "on")
    SyncEngine.updateReports(log: commandLog())
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

/// `feed disable`: remove a feed's source.
struct FeedDisable: SyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Turn a feed off.",
    discussion: """
      Writes the file feed-NAME.json in the folder sync.d beside sync.json. --forget also removes the stored \
      data; without data of the feed cities, the installed list is in use.

        # Return to the installed list of cities
        sudo citiesctl feed disable --forget cities
      """)

  @Flag(help: "Remove the stored data as well.")
  var forget = false

  @Argument(help: ArgumentHelp("The feed.", valueName: "feed"))
  var feed: String

  func perform() throws -> SyncExit {
    let settings = FeedSwitch()
    let name = try settings.feed(called: feed)
    try settings.disable(name).report(of: name, "off")
    guard forget else {
      SyncEngine.updateReports(log: commandLog())
      return .success
    }
    try SyncEngine.configured(log: commandLog()).forget(name)
    try CommandOutput.line("\(feed): its data is removed")
    return .success
  }
}
