import ArgumentParser
import FeedSync
import FrameService

/// `verify`: prove a resident file sound.
struct Verify: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prove a resident file sound, every checksum and every record.")

  @Argument(help: ArgumentHelp("The file.", valueName: "file"))
  var file: String

  func perform() throws -> SyncExit {
    try Output.line(try Verification.line(for: file))
    return .success
  }
}
