import ArgumentParser
import CitiesProtocol
import FeedSync
import FrameService
import Glibc
import System

/// `build`: make a city index from a list, without configuration and state folder.
struct Build: SyncCommand {
  static let configuration = CommandConfiguration(abstract: "Make a city index from a city list.")

  @Argument(help: ArgumentHelp("The list: a JSON array, plain or gzip; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The index to write.", valueName: "out"))
  var output: String

  @Flag(help: "Make an index even if the list has no cities.")
  var allowEmpty = false

  func validate() throws {
    guard output != "-" else {
      throw ValidationError("an index is written to a file, not to standard output; ./- is a file of that name")
    }
  }

  func perform() throws -> SyncExit {
    let bar = ProgressBar()
    let source = try SourceFile(path: input, regularOnly: false)
    let job = CityImport(allowsEmpty: allowEmpty) { bar.take(.cities, $0) }
    let made = try job.image(of: source, name: input == "-" ? "standard input" : input)
    // The list was read with the rights of whoever started this; as root, the index belongs to the folder's owner.
    do { try FolderOwner.become(ofFolderOf: output) } catch { throw FeedError(error) }
    try made.write(to: output)
    bar.clear()
    for remark in made.remarks { try? Output.line("citiesd-sync: \(remark)", descriptor: STDERR_FILENO) }
    try Output.line("\(output): \(made.description)")
    return .success
  }
}
