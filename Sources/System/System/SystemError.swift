@_exported public import Base
import Glibc

/// A failed system call: the operation, its object and the reason.
///
/// Also used for an untrusted path: the file was not touched, and the description says what to do.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call, such as `fsync`.
  package var operation: String
  /// The file, folder or socket; empty if there is nothing to name.
  package var path: String
  /// The error number, positive (errno(3)).
  package var code: Int32
  /// The description, if no call failed.
  private var refusal: String?

  /// Records a failed call; `code` defaults to `errno`.
  package init(_ operation: String, _ path: String = "", code: Int32 = errno) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  /// Records a failed call by its error number, or by the negative number that a wrapper returned.
  package init(_ operation: String, _ path: String = "", result: Int32) {
    self.init(operation, path, code: abs(result))
  }

  /// Records that the file at `path` was refused: the reason, and what to do.
  package init(path: String, refused reason: String, code: Int32 = EPERM) {
    self.init(path: path, sentence: "\(path): \(reason)", code: code)
  }

  /// Records that `path` was refused, with a complete description.
  package init(path: String, sentence: String, code: Int32 = EPERM) {
    self.init("open", path, code: code)
    refusal = sentence
  }

  /// The refusal to replace a device, folder or link.
  package static func notReplaceable(_ path: String) -> SystemError {
    SystemError(path: path, refused: "not a regular file, so it is not replaced", code: EEXIST)
  }

  /// Whether permission is missing, as opposed to a failure of the machine.
  package var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS }

  /// The system's text for the error number, such as `Permission denied`.
  package var reason: String { Self.text(code) }

  /// `PATH: OPERATION: REASON`, the form of messages about files.
  package var description: String {
    refusal ?? "\(path.isEmpty ? "" : path + ": ")\(operation): \(reason)"
  }

  /// `OPERATION PATH: REASON`, the form of messages about sockets and the loop.
  package var operationFirst: String { refusal ?? "\(operation)\(path.isEmpty ? "" : " " + path): \(reason)" }

  /// The system's text for an error number (strerror(3)).
  package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
