import CitiesProtocol
import Resident

/// The interface of a subject for handlers that do not query its data.
protocol SubjectState: AnyObject {
  var subject: Subject { get }
  var kind: ResidentKind { get }
  var isReady: Bool { get }
  /// The current generation, 16 hexadecimal digits.
  var generation: String? { get }
  /// Its entry in the reply to `status`.
  var status: Status.SubjectStatus { get }
  /// One line for the log and the service manager.
  var summary: String { get }
  /// Returns the reason for missing data if no file is being opened and none was refused.
  var explain: () -> MissingData { get set }
  /// Called after each change of the current data; `refused` is the reason if a file was refused or withdrawn.
  var onNews: (_ refused: String?) -> Void { get set }
  /// Called when ``isDoubtful`` may have changed.
  var onDoubt: () -> Void { get set }

  /// Loads data before anything is served; blocks.
  func loadNow()
  /// Whether a file in use may change at any moment.
  var isDoubtful: Bool { get }
  /// Takes files out of service that were changed in place.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func inspect() -> Bool
  /// Records the metadata of leased files, and renews leases.
  func lookAtFiles()
  /// Releases the leases of files for which a writer is waiting.
  func yieldLeases()
  /// Checks for a new file, opens it on a worker thread, and calls `done` on the loop thread.
  func check(done: @escaping () -> Void)
}

/// The data in a subject's resident file.
///
/// A new subject needs one conforming type, and one handler file per message.
protocol ResidentData: ResidentContent {
  static var subject: Subject { get }
  /// Problems of the machine, one line each, that do not prevent the file from being used.
  var remarks: [String] { get }
  /// The number of entries to verify before rows are sent unchecked.
  var proofSteps: Int { get }
  /// The number of entries to verify at a time: less than a millisecond of work.
  static var proofSlice: Int { get }
}

extension ResidentData {
  /// No problems.
  var remarks: [String] { [] }
  /// One entry per record.
  var proofSteps: Int { count }
}

extension ResidentCities: ResidentData {
  static var subject: Subject { .cities }
  static var proofSlice: Int { 1_000 }
}

extension ResidentBanks: ResidentData {
  static var subject: Subject { .banks }
  static var proofSlice: Int { 32 }
  var remarks: [String] { zoneProblems }
}

extension ResidentTrade: ResidentData {
  static var subject: Subject { .trade }
  static var proofSlice: Int { 2_000 }
}
