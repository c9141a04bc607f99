import FeedSync
import Glibc

extension SyncCommand {
  /// `check`: find everything that is wrong in the configuration.
  static let check = SyncCommand(
    "check", "Find the faults of the configuration.",
    [.argument("file", "The file (default: the one that a service would read).", isRequired: false)],
    discussion: """
      Reads the configuration as 'serve' does, with the files in sync.d, and prints every fault on standard error, one \
      per line, with file, line and column: invalid JSON, unknown keys, values out of range, sources, time zones and \
      countries that do not exist, files that cannot be read, and files with secrets that every user can read. Local \
      sources are read as well, up to limits.bytes, and what a refresh would refuse is a fault. Without faults, \
      nothing is printed and the exit status is 0; otherwise it is usually 65. No source on the web is contacted.

        # Check the configuration of this user's service
        citiesd-sync check
        # Check a file before it is installed
        citiesd-sync check ./sync.json
      """
  ) { words in
    let faults = ConfigurationCheck.faults(at: words.arguments.first)
    for fault in faults { try CommandOutput.line("citiesd-sync: \(fault)", descriptor: STDERR_FILENO) }
    return ConfigurationCheck.exitCode(of: faults)
  }
}
