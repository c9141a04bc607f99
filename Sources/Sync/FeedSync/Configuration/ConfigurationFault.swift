/// A fault in the configuration.
package struct ConfigurationFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it is in a file; `nil` for a variable, and for a file that cannot be read.
  package let place: ConfigurationPlace?
  /// The file or variable with the invalid value.
  package let origin: String
  /// The key in the file, such as `feeds.cities.url`.
  package let key: String?
  /// The problem, and the expected value.
  package let problem: String
  /// Whose fault it is, which decides the exit status.
  package let reason: FeedError.Reason

  /// A fault of `key` in the file `origin`, or of the variable `origin`.
  init(
    _ origin: String, _ key: String?, _ problem: String, _ place: ConfigurationPlace? = nil,
    reason: FeedError.Reason = .badData
  ) {
    (self.origin, self.key, self.problem, self.place) = (origin, key, problem, place)
    self.reason = reason
  }

  /// One line: the place or the variable, the key, the problem.
  package var description: String {
    let start = place?.description ?? origin
    return onOneLine(key.map { "\(start): \($0): \(problem)" } ?? "\(start): \(problem)")
  }

  /// The fault as an error.
  var error: FeedError { FeedError(reason, description) }
}

/// Receives the faults of a configuration: throws the first fatal one, or collects them all.
final class ConfigurationFaults {
  private(set) var all: [ConfigurationFault] = []
  private let collects: Bool

  /// Collects faults, or throws the first.
  init(collects: Bool = false) { self.collects = collects }

  /// Collects or throws a fatal fault.
  ///
  /// - Throws: its error, unless faults are collected.
  func take(_ fault: ConfigurationFault) throws(FeedError) {
    guard collects else { throw fault.error }
    all.append(fault)
  }

  /// Collects a fault that is not fatal.
  func note(_ fault: ConfigurationFault) { all.append(fault) }

  /// The result of `body`; `nil` if it throws a fault that is collected.
  func collecting<Value>(_ body: () throws(ConfigurationFault) -> Value?) throws(FeedError) -> Value? {
    do throws(ConfigurationFault) {
      return try body()
    } catch {
      try take(error)
      return nil
    }
  }
}
