package import CitiesProtocol
internal import Glibc
internal import System

/// Another program of the installation, for features whose code this one does not link.
struct HelperProgram {
  /// The program that draws maps and the full screen, processes tables and serves assistants.
  static let name = "citiesctl-helper"
  /// The program that reads and writes the configuration of feeds.
  static let sync = "citiesd-sync"

  let path: String
  private let name: String

  /// The program in the folder of the running one, with symbolic links resolved.
  static func beside(_ name: String = Self.name) -> HelperProgram {
    HelperProgram(path: "\(ProcessEnvironment.programFolder)/\(name)", name: name)
  }

  /// Replaces this process with that program, with the words after `citiesctl` as its arguments.
  ///
  /// - Returns: Only if that failed: the reason.
  func replaceThisProcess(_ words: [String]) -> CommandFailure {
    let code = withArguments([name] + words) { execv(path, $0) == 0 ? 0 : errno }
    return failure(code)
  }

  /// The failure of a command whose program cannot be started because of the error `code` (errno(3)).
  func failure(_ code: Int32) -> CommandFailure {
    let reason = code == ENOENT ? "it is missing" : SystemError.text(code)
    return CommandFailure(
      .unavailable, code: "no-helper",
      "this needs the program \(path), and \(reason); 'contrib/build --install' puts it beside citiesctl")
  }
}

/// Stores the sample data of banks and trade with the program that stores feeds.
///
/// - Returns: Whether it did, and its last warning, such as that the server reads another folder.
package func storeSamples() -> (isStored: Bool, message: String?) {
  let helper = HelperProgram.beside(HelperProgram.sync)
  do {
    let run = try ProgramRun(helper.path, ["run", "--samples"], seconds: 60)
    let message = run.messages.last { !$0.contains("writing samples to") }
    return (run.ending == .exited(0), message)
  } catch {
    return (false, helper.failure(error.code).message)
  }
}

/// A command that `citiesctl-helper` performs, so that this program need not link code for drawing.
///
/// Both programs parse it with the same definition, so that help, manual and completion have one source, and wrong
/// usage is reported before the other program starts.
package protocol HelperVerb: Verb {}

extension HelperVerb {
  package func perform(in context: Context) throws -> ExitStatus {
    throw HelperProgram.beside().replaceThisProcess(context.words)
  }
}

/// Performs a verb in the helper program; `nil` for an unknown verb.
package typealias HelperWork = (_ verb: any Verb, _ context: Context) throws -> ExitStatus?

// Shared with the helper program: the same rows, so that the GeoJSON of a map is that of a list.
extension Context {
  /// Writes rows with a position as GeoJSON.
  package func writeGeoJSON<Row>(_ listing: Listing<Row>) throws {
    try RowRenderer(format: .geojson).render(listing, to: output)
  }

  /// Writes cities as GeoJSON, and prints a note if there are more.
  package func writeGeoJSON(_ page: CitySearch.Reply) throws {
    try writeGeoJSON(CityListing.of(page.rows, total: page.total, generation: page.generation))
    guard page.total > UInt64(page.rows.count) else { return }
    diagnostics.note("cut", "only the largest \(page.rows.count) of \(page.total) cities are written")
  }

  /// Writes a position without a name as GeoJSON.
  package func writeGeoJSON(_ position: Position) throws {
    try writeGeoJSON(Listing<Position>(columns: [], rows: [position], total: 1, position: { $0 }))
  }
}
