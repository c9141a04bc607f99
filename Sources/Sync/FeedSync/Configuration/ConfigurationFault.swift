/// Something that is wrong in the configuration.
package struct ConfigurationFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it is in a file; `nil` for a variable, and for a file that cannot be read.
  package let place: ConfigurationPlace?
  /// The file, or the variable that holds the wrong value.
  package let origin: String
  /// The key in the file, as `feeds.cities.url`.
  package let key: String?
  /// The problem, and what is expected.
  package let problem: String
  /// Whose fault it is, which decides the exit status.
  package let reason: FeedError.Reason

  /// The problem of the `key` in the file `origin`, or of the variable of that name.
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

  /// The error of a program that needs the configuration.
  var error: FeedError { FeedError(reason, description) }
}

/// Takes the faults of a configuration as they are found: the first one that a program cannot live with ends the
/// reading, or all of them are collected.
final class ConfigurationFaults {
  /// Those so far.
  private(set) var all: [ConfigurationFault] = []
  private let collects: Bool

  /// Collects faults, or throws the first.
  init(collects: Bool = false) { self.collects = collects }

  /// Takes one.
  ///
  /// - Throws: its error, unless faults are collected.
  func take(_ fault: ConfigurationFault) throws(FeedError) {
    guard collects else { throw fault.error }
    all.append(fault)
  }

  /// Takes one that a program can live with.
  func note(_ fault: ConfigurationFault) { all.append(fault) }

  /// The result of `body`; `nil` if that has a fault, which is taken.
  func taking<Value>(_ body: () throws(ConfigurationFault) -> Value?) throws(FeedError) -> Value? {
    do throws(ConfigurationFault) {
      return try body()
    } catch {
      try take(error)
      return nil
    }
  }
}
