/// Code that takes bytes which anybody may have written, as a fuzzer calls it.
///
/// `contrib/fuzz --guided` looks for inputs that reach new code; the corpus of those that it has kept is replayed by
/// the tests. An input must neither trap nor hang, and give no result that contradicts another one.
package protocol FuzzTarget: SendableMetatype {
  /// Its name on the command line, and that of its corpus.
  static var name: String { get }
  /// Valid inputs, from which a corpus starts.
  static var seeds: [[UInt8]] { get throws }

  /// Prepares what all inputs share.
  init() throws
  /// Takes an input; refusing it is an answer.
  ///
  /// - Throws: ``FuzzFinding`` for a wrong result, and what the machine refuses.
  func run(_ input: [UInt8]) throws
}

/// A result that is wrong.
package struct FuzzFinding: Error, CustomStringConvertible {
  /// What contradicts what.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// All targets.
package enum FuzzTargets {
  /// In the order in which they run.
  package static let all: [any FuzzTarget.Type] = [
    RequestTarget.self, CityIndexTarget.self, BankIndexTarget.self, TradeBookTarget.self, HeaderTarget.self,
    ImporterTarget.self, ArchiveTarget.self, ZoneTarget.self, ConfigurationTarget.self, CommandLineTarget.self,
    TableTarget.self,
  ]

  /// The target with a name.
  package static func named(_ name: String) -> (any FuzzTarget.Type)? { all.first { $0.name == name } }
}
