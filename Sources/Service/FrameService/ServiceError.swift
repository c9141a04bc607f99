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

/// Exit codes of the services, from `sysexits.h` and the command line's manual.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  /// The number.
  package var rawValue: Int32
  /// Any number.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// It ended as asked.
  package static let success = ExitCode(rawValue: 0)
  /// Wrong arguments or environment.
  package static let usage = ExitCode(rawValue: 2)
  /// A fault of the program's own.
  package static let software = ExitCode(rawValue: 70)
  /// Input or output failed.
  package static let io = ExitCode(rawValue: 74)
  /// The user may not do this.
  package static let permission = ExitCode(rawValue: 77)
}
