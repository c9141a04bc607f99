import Glibc

/// A system call that failed: which, on what, and why.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call, such as `bind`.
  package var call: String
  /// What it was tried on, such as a path; empty if there is nothing to name.
  package var subject: String
  /// The error number, positive (`errno(3)`).
  package var number: Int32

  /// Names a failure; `result` is a wrapper's negative result or a positive error number.
  package init(_ call: String, _ subject: String = "", result: Int32) {
    self.call = call
    self.subject = subject
    self.number = abs(result)
  }

  /// `bind /run/x.sock: Permission denied`.
  package var description: String {
    "\(call)\(subject.isEmpty ? "" : " " + subject): \(String(cString: strerror(number)))"
  }
}

/// Why a service cannot start: one sentence for people, an exit code for scripts.
package struct ServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
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
    let denied = [EACCES, EPERM, EROFS].contains(error.number)
    self.init(error.description + (hint.isEmpty ? "" : "; " + hint), denied ? .permission : .io)
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
