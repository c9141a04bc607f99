internal import Glibc
internal import System

/// The program beside this one that draws pictures and the full screen.
struct HelperProgram {
  /// What it is called.
  static let name = "citiesctl-browse"

  /// Where it should be.
  let path: String

  /// The one in the folder of the running program, whatever link that was started by.
  static func beside() -> HelperProgram {
    let program = ProcessEnvironment.program ?? ""
    let folder = program.lastIndex(of: "/").map { program[..<$0] } ?? ""
    return HelperProgram(path: "\(folder)/\(name)")
  }

  /// Becomes that program, with the words behind `citiesctl` as its arguments.
  ///
  /// - Returns: only if that failed: why.
  func replaceThisProcess(_ words: [String]) -> CommandFailure {
    var arguments: [UnsafeMutablePointer<CChar>?] = ([Self.name] + words).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    execv(path, &arguments)
    let reason = errno == ENOENT ? "it is missing" : SystemError.text(errno)
    return CommandFailure(
      .unavailable, code: "no-helper",
      "this needs the program \(path), and \(reason); 'contrib/build --install' puts it beside citiesctl")
  }
}
