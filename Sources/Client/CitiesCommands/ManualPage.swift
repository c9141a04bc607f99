internal import Glibc
internal import System

/// The manual page of a command, as it was installed with this program.
///
/// It is opened by its path: that needs no `MANPATH`, and the page is that of this version.
struct ManualPage {
  /// The file, plain or compressed.
  let path: String

  /// The page of the command that `words` name, such as `["bank", "near"]`; `nil` if it is not installed.
  ///
  /// Commands of a subject share its page.
  ///
  /// - Parameters:
  ///   - words: The name of a command that exists, with that of its subject before it.
  ///   - program: The path of the running program, from `bin` below the folder that `share` lies in.
  init?(of words: [String], program: String? = ProcessEnvironment.program) {
    guard let name = words.first, let program else { return nil }
    let page = "\(parentFolder(of: parentFolder(of: program)))/share/man/man1/citiesctl-\(name).1"
    let files: [String] = [page, page + ".gz"]
    guard let path = files.first(where: { access($0, R_OK) == 0 }) else { return nil }
    self.path = path
  }

  /// Becomes man(1), which shows the page.
  ///
  /// It returns only if there is no man(1).
  func replaceThisProcess() { _ = withArguments(["man", path]) { execvp("man", $0) } }
}
