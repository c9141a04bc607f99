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
  /// What the file holds, as 64 bits.
  var generation: Generation { get }
  /// Its records.
  var count: Int { get }
  /// What is wrong with the machine that it is served on, a line each; the file is served all the same.
  var remarks: [String] { get }
}

extension ResidentData {
  /// Nothing can be wrong.
  var remarks: [String] { [] }
}

extension ResidentCities: ResidentData {
  static var subject: Subject { .cities }
  static var mark: Int { 0 }
  static func open(_ path: String) throws(ResidentError) -> ResidentCities { try ResidentCities(path: path) }
}

extension ResidentBanks: ResidentData {
  static var subject: Subject { .banks }
  static var mark: Int { 1 }
  static func open(_ path: String) throws(ResidentError) -> ResidentBanks { try ResidentBanks(path: path) }
  var remarks: [String] { zoneProblems }
}
