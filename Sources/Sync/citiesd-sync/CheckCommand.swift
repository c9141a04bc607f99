import ArgumentParser
import FeedSync
import FrameService
import Glibc
import System

/// `check`: find everything that is wrong in the configuration.
struct Check: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find everything that is wrong in the configuration.",
    discussion: """
      Reads the configuration as 'serve' does, with the files in sync.d, and prints every fault on standard error, one a \
      line, with file, line and column: JSON that is broken, keys that are unknown, values out of bounds, sources, zones and \
      countries that do not exist, and files that cannot be read. Nothing is printed, and the exit status is 0, if all is \
      well; else it is usually 65 (bad data), and 'serve' may start without what is wrong. No source is asked.

        citiesd-sync check
        citiesd-sync check /etc/cities/sync.json && systemctl start citiesd-sync
      """)

  @Argument(help: ArgumentHelp("The file; the one that a service would read if none is named.", valueName: "file"))
  var file: String?

  func perform() throws -> SyncExit {
    let faults = ConfigurationCheck.faults(at: file)
    for fault in faults { try CommandOutput.line("citiesd-sync: \(fault)", descriptor: STDERR_FILENO) }
    return ConfigurationCheck.exitCode(of: faults)
  }
}
