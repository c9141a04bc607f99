import TestSupport

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

extension FuzzTarget {
  /// The seeds, and each of them with combining marks in place of a word in its middle.
  package static var allSeeds: [[UInt8]] {
    get throws {
      let (seeds, marks) = (try seeds, Array(CombiningMarks.text(1_000).utf8))
      return seeds
        + seeds.compactMap { seed in
          let words = words(of: seed)
          return words.isEmpty
            ? nil : seed[..<words[words.count / 2].lowerBound] + marks + seed[words[words.count / 2].upperBound...]
        }
    }
  }

  /// The runs of letters, digits and bytes of other scripts after the first byte, which may choose the kind of input.
  package static func words(of seed: [UInt8]) -> [Range<Int>] {
    let isWord = { (byte: UInt8) in byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
    var (words, start) = ([Range<Int>](), nil as Int?)
    for index in seed.indices.dropFirst() {
      if isWord(seed[index]) {
        start = start ?? index
      } else if let first = start {
        words.append(first..<index)
        start = nil
      }
    }
    return words
  }
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
