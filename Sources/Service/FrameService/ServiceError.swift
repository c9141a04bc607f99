package import System

/// Why a service cannot start: one sentence for people, an exit code for scripts.
package struct ServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, and the remedy if there is one.
  package var message: String
  /// The process's exit code.
  package var exitCode: ExitCode

  /// Makes an error.
  package init(_ message: String, _ exitCode: ExitCode) {
    self.message = message
    self.exitCode = exitCode
  }

  /// A failed call, with the exit code that its reason deserves.
  package init(_ error: SystemError, hint: String = "") {
    self.init(error.operationFirst + (hint.isEmpty ? "" : "; " + hint), error.isPermission ? .permission : .io)
  }

  /// The message.
  package var description: String { message }
}
