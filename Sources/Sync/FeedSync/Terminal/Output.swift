import Base
import Glibc
import System

/// Standard output, written with checked calls: a full disk is an error, not a shorter answer.
package enum Output {
  /// Writes `text` and a line feed; what would act on a terminal is escaped, as a source may be quoted.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/io``.
  package static func line(_ text: String, descriptor: Int32 = STDOUT_FILENO) throws(FeedError) {
    let code = writeAll(Array((shown(text) + "\n").utf8), to: descriptor)
    guard code == 0 else { throw FeedError(.io, "standard output: \(SystemError.text(code))") }
  }

  /// The lines of `text`, each as a terminal may see it.
  static func shown(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { terminalSafe(String($0)) }
      .joined(separator: "\n")
  }
}
