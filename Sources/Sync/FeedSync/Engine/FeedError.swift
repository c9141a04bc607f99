package import FrameService
package import System

/// Why an attempt failed: a sentence for people, a reason for exit codes.
package struct FeedError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Whose fault it is.
  package enum Reason: Sendable {
    /// The source's contents.
    case badData
    /// The source or the state folder cannot be reached, or a call failed.
    case io
    /// The user may not read the source or write the folder.
    case permission
    /// What is asked for is not there or not possible.
    case unavailable
    /// It failed before, and the time to try again has not come; the description is that of the failure.
    case postponed
    /// A fault of the program's own.
    case internalFault
    /// It was given up because the service leaves; nobody's fault.
    case cancelled
  }

  /// Whose fault it is.
  package var reason: Reason
  /// What is wrong, where, and what to do.
  package var description: String

  /// Makes an error.
  package init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// A failed system call.
  package init(_ error: SystemError) {
    self.init(error.isPermission ? .permission : .io, error.description)
  }

  /// The exit code that belongs to the reason.
  package var exitCode: ExitCode {
    switch reason {
    case .badData: .badData
    case .io: .io
    case .permission: .permission
    case .internalFault: .software
    case .unavailable, .postponed, .cancelled: .unavailable
    }
  }
}
