package import CitiesProtocol
package import Resident
package import System

/// Why an attempt failed: a sentence for people, a reason for exit codes.
package struct FeedError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
  /// Whose fault it is.
  package enum Reason: Int, Codable, Sendable {
    /// The source's contents.
    case badData
    /// The source or the state folder cannot be reached, or a call failed.
    case io
    /// The user may not read the source or write the folder.
    case permission
    /// The source or feed that was requested does not exist or is not possible.
    case unavailable
    /// The arguments of a command, or the environment, are invalid.
    case usage
    /// Done, but overridden by something else.
    case overridden
    /// It failed before and is not due for a retry; the description is that of the failure.
    case postponed
    /// A bug in this program.
    case internalFault
    /// Cancelled because the service stops; not a fault.
    case cancelled
  }

  /// Most code points of a description, which reports hold: it may list the records of a source.
  static let maximumDescription = 8_192

  /// Whose fault it is.
  package var reason: Reason
  /// The problem, the place, and what to do.
  package var description: String
  /// What else was noticed, in lines for the log.
  package var remarks: [String] = []

  /// Seconds for which the server does not want to be asked again.
  package var retryAfter: Int64?

  /// Makes an error.
  package init(_ reason: Reason, _ description: String, remarks: [String] = []) {
    (self.reason, self.description) = (reason, description.excerpt(Self.maximumDescription))
    self.remarks = remarks
  }

  /// A failed system call.
  package init(_ error: SystemError) {
    self.init(error.isPermission ? .permission : .io, error.description)
  }

  /// A resident file that cannot be used.
  package init(_ error: ResidentError) {
    if case .system(let call, let code) = error.fault {
      self.init(SystemError(call, error.path, code: code))
    } else {
      self.init(.badData, error.description)
    }
  }

  /// The result of `body`; a failed system call is rethrown as a ``FeedError``.
  static func converting<Result>(_ body: () throws(SystemError) -> Result) throws(FeedError) -> Result {
    do throws(SystemError) { return try body() } catch { throw FeedError(error) }
  }

  /// The result of `body`; `place` is prefixed to the description of its error.
  static func naming<Result>(
    _ place: @autoclosure () -> String, _ body: () throws(FeedError) -> Result
  ) throws(FeedError) -> Result {
    do throws(FeedError) { return try body() } catch { throw FeedError(error.reason, "\(place()): \(error)") }
  }

  /// The exit code for the reason.
  package var exitCode: ExitCode {
    switch reason {
    case .badData: .badData
    case .io: .io
    case .permission: .permission
    case .usage: .usage
    case .overridden: .partial
    case .internalFault: .software
    case .unavailable, .postponed, .cancelled: .unavailable
    }
  }
}

extension ExitCode {
  /// The exit code of a run: 0 if no feed failed, 4 if some did.
  ///
  /// If every configured feed failed, the code of their common reason, or 69 without one; also 69 if none of the
  /// requested feeds is configured.
  package init(of outcomes: [FeedOutcome], reasons: [FeedError]) {
    let failed = outcomes.count { $0.outcome == .failed }
    let configured = outcomes.count { $0.outcome != .unconfigured }
    let codes = Set(reasons.map(\.exitCode))
    switch failed {
    case 0: self = configured > 0 || outcomes.isEmpty ? .success : .unavailable
    case configured: self = codes.count == 1 ? codes.first ?? .unavailable : .unavailable
    default: self = .partial
    }
  }
}
