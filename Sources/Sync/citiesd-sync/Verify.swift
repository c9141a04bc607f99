import ArgumentParser
import FeedSync
import FrameService

/// `verify`: prove a resident file sound.
struct Verify: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove that a resident file is sound.",
    discussion: """
      Checks the header and all checksums, then makes the file again from its records and compares every section: orders,
      search trees, offsets and columns. Prints one line about a sound file; for any other it reports what is wrong, and
      the exit status is 65.
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"))
  var file: String

  func perform() throws -> SyncExit {
    try Output.line(try Verification.line(for: file))
    return .success
  }
}
