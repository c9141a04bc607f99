internal import CitiesClient
internal import CitiesProtocol
internal import System

/// How `citiesctl` ends; the numbers are those of `ExitCode`.
///
/// This list is the manual's, and a test produces each of them.
package enum ExitStatus: Sendable, CaseIterable {
  /// Something was found, or done.
  case found
  /// Nothing was found.
  case nothingFound
  /// Wrong use of the command line.
  case usage
  /// Several cities, or a country, have that name.
  case ambiguous
  /// Done in part, or the server is degraded.
  case partial
  /// Invalid input, such as text that is not UTF-8 or JSON.
  case badData
  /// No server, or all of its sources failed.
  case unavailable
  /// A fault of the server's or of this program's own.
  case internalFault
  /// Reading or writing failed.
  case inputOutput
  /// Not ready yet, overloaded, or no answer in time: trying again may help.
  case notReady
  /// Client and server do not understand each other.
  case protocolMismatch
  /// Not permitted.
  case permission
  /// Left by the user.
  case leftByUser

  /// The number.
  package var rawValue: Int32 { code.rawValue }

  private var code: ExitCode {
    switch self {
    case .found: .success
    case .nothingFound: .nothingFound
    case .usage: .usage
    case .ambiguous: .ambiguous
    case .partial: .partial
    case .badData: .badData
    case .unavailable: .unavailable
    case .internalFault: .software
    case .inputOutput: .io
    case .notReady: .temporaryFailure
    case .protocolMismatch: .protocolMismatch
    case .permission: .permission
    case .leftByUser: .interrupted
    }
  }

  /// The manual's words for it.
  package var meaning: String {
    switch self {
    case .found: "found, or done"
    case .nothingFound: "nothing found"
    case .usage: "wrong usage"
    case .ambiguous: "several cities, or a country, have that name"
    case .partial: "partial result, or something is wrong"
    case .badData: "invalid input, or a result too large or too expensive"
    case .unavailable: "no server, or no source could be reached"
    case .internalFault: "internal error"
    case .inputOutput: "reading or writing failed"
    case .notReady: "not ready yet, overloaded or timed out"
    case .protocolMismatch: "client and server are of incompatible versions"
    case .permission: "permission denied"
    case .leftByUser: "quit by the user"
    }
  }
}

extension ExitStatus {
  /// The status for an error that the server reports.
  init(_ code: ErrorCode) {
    switch code {
    case .notFound: self = .nothingFound
    case .invalidParams: self = .usage
    case .ambiguous: self = .ambiguous
    case .noConversion: self = .partial
    case .frameTooLarge, .tooExpensive: self = .badData
    case .unavailable, .staleGeneration, .busy: self = .notReady
    case .malformed, .unknownMethod: self = .protocolMismatch
    case .permissionDenied: self = .permission
    default: self = .internalFault
    }
  }

  /// The status for a request without an answer.
  init(_ error: ClientError) {
    switch error {
    case .noServer, .connectionLost: self = .unavailable
    case .permissionDenied: self = .permission
    case .server(let reason) where reason.isForLackOfServer: self = .unavailable
    case .server(let reason) where reason.isForLackOfRights: self = .permission
    case .timedOut: self = .notReady
    case .protocolMismatch, .unreadableReply: self = .protocolMismatch
    case .server(let reason): self = .init(reason.code)
    case .unsendable: self = .badData
    }
  }
}
