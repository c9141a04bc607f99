import Base
import TestSupport
import Testing

@testable import Banks

/// The table of the words of opening hours, `contrib/data/hours.tsv`: what the program cannot read, it would ignore.
@Suite struct HoursTableTests {
  private static func lines() throws -> [Substring] {
    try Repository.text(Repository.path("contrib/data/hours.tsv")).split(separator: "\n")
  }

  @Test func `lines are sorted by bytes, and none has the language and meaning of another`() throws {
    let lines = try Self.lines()
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    let keys = lines.map { $0.split(separator: "\t").prefix(2).joined(separator: "\t") }
    #expect(Set(keys.map { TextKey($0) }).count == keys.count)
  }

  @Test func `each line has a known language, a known meaning and phrases of one to three words`() throws {
    for line in try Self.lines() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      #expect(fields[0] == "all" || HoursLanguage.codes.contains(String(fields[0])), "\(line)")
      switch fields[1] {
      case "days": #expect(fields.count == 3 && fields[2].split(separator: "|").count == 7, "\(line)")
      case "forms": #expect((4...5).contains(fields.count) && fields[2].split(separator: " ").count == 7, "\(line)")
      default:
        let isKnown = fields[1] == "remark stems" || HoursVocabulary.meanings[TextKey(fields[1])] != nil
        #expect(fields.count == 3 && isKnown, "\(line)")
        let phrases = fields[2].split(separator: "|", omittingEmptySubsequences: false)
        #expect(phrases.allSatisfy { (1...3).contains($0.split(separator: " ").count) }, "\(line)")
      }
    }
  }

  @Test(arguments: HoursLanguage.allCases)
  func `a language has names of all days, and words that it shares with none`(_ language: HoursLanguage) {
    #expect(Set(language.vocabulary.days.values) == Set(0...6))
    #expect(language.vocabulary.closed.contains("closed") && language.vocabulary.chains.contains("rimi"))
    #expect(!HoursLanguage.marked(by: Array(language.vocabulary.days.keys)).isEmpty)
  }

  @Test func `stems have their endings, also those of the last day of a range`() {
    let (estonian, latvian) = (HoursLanguage.estonian.vocabulary, HoursLanguage.latvian.vocabulary)
    #expect(estonian.days["esmaspäeval"] == 0 && estonian.days["pühapäeviti"] == 6)
    #expect(estonian.lastDays.contains("reedeni") && !estonian.lastDays.contains("reedel"))
    #expect(latvian.days["pirmdienās"] == 0 && latvian.lastDays.all.isEmpty)
  }
}
