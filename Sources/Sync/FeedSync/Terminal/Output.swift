import Base
import Glibc

/// Standard output, written with checked calls: a full disk is an error, not a shorter answer.
package enum Output {
  /// Writes `text` and a line feed; what would act on a terminal is escaped, as a source may be quoted.
  ///
  /// - Throws: ``FeedError`` with the reason ``FeedError/Reason/io``.
  package static func line(_ text: String, descriptor: Int32 = STDOUT_FILENO) throws(FeedError) {
    var bytes = Array((shown(text) + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
      } else if errno != EINTR {
        throw FeedError(.io, "standard output: \(String(cString: strerror(errno)))")
      }
    }
  }

  /// The lines of `text`, each as a terminal may see it.
  static func shown(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { terminalSafe(String($0)) }
      .joined(separator: "\n")
  }
}
