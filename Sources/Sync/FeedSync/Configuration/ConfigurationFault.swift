/// Where a value is set: in a file, or by a variable.
package struct ConfigurationPlace: Equatable, Sendable, CustomStringConvertible {
  /// The path of the file, or the name of the variable.
  package var origin: String
  /// The line, from 1; 0 for a variable, and for a file as a whole.
  package var line = 0
  /// The character in the line, from 1.
  package var column = 0

  /// `FILE:LINE:COLUMN`, as compilers print it, or the origin alone.
  package var description: String { line == 0 ? origin : "\(origin):\(line):\(column)" }
}

/// A fault in the configuration.
package struct ConfigurationFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it is.
  package let place: ConfigurationPlace
  /// The key in the file, such as `feeds.cities.url`; `nil` for a variable.
  package let key: String?
  /// The problem, and the expected value.
  package let problem: String
  /// Whose fault it is, which decides the exit status.
  package let reason: FeedError.Reason

  /// A fault at `place`.
  init(_ place: ConfigurationPlace, _ key: String?, _ problem: String, reason: FeedError.Reason = .badData) {
    (self.place, self.key, self.problem, self.reason) = (place, key, problem, reason)
  }

  /// A fault of the file or the variable `origin` as a whole.
  init(_ origin: String, _ problem: String, reason: FeedError.Reason = .badData) {
    self.init(ConfigurationPlace(origin: origin), nil, problem, reason: reason)
  }

  /// One line: the place, the key, the problem.
  package var description: String {
    onOneLine([place.description, key, problem].compactMap(\.self).joined(separator: ": "))
  }
}

/// Collects the faults of a configuration.
final class ConfigurationFaults {
  private(set) var all: [ConfigurationFault] = []
  /// The first for which the service does not start.
  private(set) var firstFatal: ConfigurationFault?

  /// Collects a fatal fault.
  func take(_ fault: ConfigurationFault) {
    firstFatal = firstFatal ?? fault
    all.append(fault)
  }

  /// Collects a fault that is not fatal.
  func note(_ fault: ConfigurationFault) { all.append(fault) }

  /// The result of `body`; `nil` if it throws, and the fault is collected.
  func collecting<Value>(_ body: () throws(ConfigurationFault) -> Value) -> Value? {
    do throws(ConfigurationFault) { return try body() } catch { take(error) }
    return nil
  }
}
