import Fuzzing
import TestSupport
import Testing

/// Text of combining marks in every place of every source, configuration, table and command line.
@Suite struct CombiningMarkTests {
  /// Marks in a place: their canonical form takes 0.2 s to compare.
  private static let count = 16_000
  /// The targets whose inputs are text.
  private static let targets = ["importers", "configuration", "command-line", "tables"]

  @Test(arguments: targets) func `no place takes longer for marks than for letters`(
    name: String
  ) throws {
    let type = try #require(FuzzTargets.named(name))
    let (target, seeds) = (try type.init(), try type.seeds)
    let each = Thoroughness.count(1, ofAll: 400)
    var places = 0
    for seed in seeds {
      let words = type.words(of: seed)
      for (index, word) in words.enumerated() where index % max(1, words.count / each) == 0 {
        func seconds(_ text: String) -> Double {
          let input = seed[..<word.lowerBound] + Array(text.utf8) + seed[word.upperBound...]
          // Refusing it is an answer; findings are another test's.
          return leastProcessorSeconds { try? target.run(Array(input)) }
        }
        places += 1
        let marks = seconds(CombiningMarks.text(Self.count))
        guard marks > 0.05 else { continue }
        let letters = seconds(CombiningMarks.letters(Self.count))
        let text = String(decoding: seed[max(0, word.lowerBound - 20)..<word.upperBound], as: UTF8.self)
        #expect(
          marks <= 3 * letters + 0.05, "\(marks) s for marks, \(letters) s for letters after \(text.debugDescription)")
      }
    }
    let filled = seeds.count { !type.words(of: $0).isEmpty }
    #expect(filled > 0 && places >= filled, "\(places) places of \(filled) seeds")
  }
}
