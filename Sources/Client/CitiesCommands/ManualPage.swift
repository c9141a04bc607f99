internal import Glibc
internal import System

/// The manual page of a command that was installed with this program.
///
/// It is opened by its path: this needs no `MANPATH`, and selects the page of this version.
struct ManualPage {
  /// The file, plain or compressed.
  let path: String

  /// Finds the page of the command `words`, such as `["bank", "near"]`; `nil` if it is not installed.
  ///
  /// Commands of a group share its page.
  ///
  /// - Parameters:
  ///   - words: The name of an existing command, after that of its group.
  ///   - program: The path of the running program, in the `bin` folder next to `share`.
  init?(of words: [String], program: String? = ProcessEnvironment.program) {
    guard let name = words.first, let program else { return nil }
    let page = "\(parentFolder(of: parentFolder(of: program)))/share/man/man1/citiesctl-\(name).1"
    let files: [String] = [page, page + ".gz"]
    guard let path = files.first(where: { access($0, R_OK) == 0 }) else { return nil }
    self.path = path
  }

  /// Replaces this process with man(1), which shows the page.
  ///
  /// It returns only if there is no man(1).
  func replaceThisProcess() { _ = withArguments(["man", path]) { execvp("man", $0) } }
}
