internal import CitiesProtocol

/// The exit statuses of `citiesctl`; the numbers are those of `sysexits.h` if defined there, as in `ExitCode`.
///
/// The manual has the same list, and a test produces each of them.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  /// Success: something was found or done.
  case found = 0
  /// Nothing was found.
  case nothingFound = 1
  /// Wrong usage of the command line.
  case usage = 2
  /// Several cities, or a country, have that name.
  case ambiguous = 3
  /// Partly done, or the server is degraded.
  case partial = 4
  /// Invalid input, such as text that is not UTF-8 or JSON.
  case badData = 65
  /// No server, or all of its sources failed.
  case unavailable = 69
  /// An internal error of the server or of this program.
  case internalFault = 70
  /// Reading or writing failed.
  case inputOutput = 74
  /// Not ready yet, overloaded, or timed out: retrying may help.
  case notReady = 75
  /// Client and server have no common protocol version.
  case protocolMismatch = 76
  /// Not permitted.
  case permission = 77
  /// Cancelled by the user.
  case leftByUser = 130

  /// The description in the manual.
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
  /// The status for an error code of the server.
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
}
