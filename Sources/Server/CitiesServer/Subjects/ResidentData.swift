import CitiesProtocol
import Resident

/// A subject, as far as handlers that do not ask it anything are concerned.
protocol SubjectState: AnyObject {
  /// Its name.
  var subject: Subject { get }
  /// The kind of its file.
  var kind: ResidentKind { get }
  /// Whether it has data.
  var isReady: Bool { get }
  /// The generation served, 16 hexadecimal digits.
  var generation: String? { get }
  /// Its entry in the reply to `status`.
  var status: Status.SubjectStatus { get }
  /// One line for the log and the service manager.
  var summary: String { get }
  /// Says why there is no data when no file is being opened and none was refused.
  var explain: () -> MissingData { get set }
  /// Called with each change of what is served, and why a file was refused or taken out of service, if one was.
  var onNews: (_ refused: String?) -> Void { get set }
  /// Called when ``isDoubtful`` may have changed.
  var onDoubt: () -> Void { get set }

  /// Looks for data before anything is served; blocks.
  func loadNow()
  /// Whether a file that it answers from may change at any moment.
  var isDoubtful: Bool { get }
  /// Takes files out of service that were changed in place.
  ///
  /// - Returns: whether one was.
  @discardableResult
  func inspect() -> Bool
  /// Records the metadata of leased files, and takes leases again.
  func lookAtFiles()
  /// Releases the leases of files for which a writer waits.
  func yieldLeases()
  /// Looks for a new file, opens it on a worker thread, and calls `done` on the loop's.
  func check(done: @escaping () -> Void)
}

/// What a subject's resident file opens as.
///
/// A new subject is one conforming type, and one handler file per message.
protocol ResidentData: ResidentContent {
  /// The subject on the wire.
  static var subject: Subject { get }
  /// Faults of the machine that it is served on, a line each; the file is served all the same.
  var remarks: [String] { get }
  /// Entries to be proved before its rows are sent unchecked.
  var proofSteps: Int { get }
  /// Entries that are proved at a time: less than a millisecond of work.
  static var proofSlice: Int { get }
}

extension ResidentData {
  /// Opens and checks the file at `path`, under a lease if it can be had.
  static func open(_ path: String, _ verify: ResidentFile.Verification) throws(ResidentError) -> Self {
    try Self(file: ResidentFile(path: path, kind: kind, verify: verify, isLeased: true))
  }

  /// Every entry is valid.
  var remarks: [String] { [] }
  /// An entry is a record.
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
