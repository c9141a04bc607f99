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
}

extension ResidentCities: ResidentData {
  static var subject: Subject { .cities }
  static var mark: Int { 0 }
  static func open(_ path: String) throws(ResidentError) -> ResidentCities { try ResidentCities(path: path) }
}
