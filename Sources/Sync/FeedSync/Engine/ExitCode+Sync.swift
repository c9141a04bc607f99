package import CitiesProtocol
package import FrameService

/// The exit code of `citiesd-sync`, under a name that its command line's parser does not use as well.
package typealias SyncExit = ExitCode

extension ExitCode {
  /// Some feeds failed.
  package static let partial = ExitCode(rawValue: 4)
  /// The source or a resident file is unusable.
  package static let badData = ExitCode(rawValue: 65)
  /// Every feed failed, or none has a source.
  package static let unavailable = ExitCode(rawValue: 69)

  /// The exit code of a run: 0 if no feed failed, 4 if some did.
  ///
  /// If every configured feed failed, it is the code of the reason they share, else 69; 69 also if no feed that was asked
  /// for is configured.
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
