import CitiesProtocol
import Resident

/// What a subject's resident file opens as.
///
/// A new subject is one conforming type and one handler file a message.
protocol ResidentData: AnyObject, Sendable {
  /// The subject on the wire.
  static var subject: Subject { get }
  /// The subject's number, 0 to 3: which of a connection's marks is its own.
  static var mark: Int { get }
  /// The kind of its file.
  static var kind: ResidentKind { get }
  /// Opens and checks the file at `path`.
  static func open(_ path: String) throws(ResidentError) -> Self
  /// The file.
  var file: ResidentFile { get }
  /// What the file holds, as 64 bits.
  var generation: Generation { get }
  /// Its records.
  var count: Int { get }
  /// What is wrong with the machine that it is served on, a line each; the file is served all the same.
  var remarks: [String] { get }
  /// Entries to be proved before its rows are sent unchecked.
  var proofSteps: Int { get }
  /// Entries that are proved at a time: less than a millisecond of work.
  static var proofSlice: Int { get }
  /// Proves that the entries at `steps` cannot spoil a reply.
  func prove(_ steps: Range<Int>) throws(ResidentError)
}

extension ResidentData {
  /// Nothing can be wrong.
  var remarks: [String] { [] }
  /// An entry is a record.
  var proofSteps: Int { count }
}

extension ResidentCities: ResidentData {
  static var subject: Subject { .cities }
  static var mark: Int { 0 }
  static var proofSlice: Int { 1_000 }
  static func open(_ path: String) throws(ResidentError) -> ResidentCities { try ResidentCities(path: path) }
}

extension ResidentBanks: ResidentData {
  static var subject: Subject { .banks }
  static var mark: Int { 1 }
  static var proofSlice: Int { 32 }
  static func open(_ path: String) throws(ResidentError) -> ResidentBanks { try ResidentBanks(path: path) }
  var remarks: [String] { zoneProblems }
}
