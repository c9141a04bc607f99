import FeedSync
import Fuzzing
import TestSupport
import Testing

/// The inputs that guided fuzzing has kept, and its valid ones: none traps, hangs or gives a wrong result.
@Suite struct CorpusTests {
  private static let names = FuzzTargets.all.map { $0.name }
  private static let folder = "Tests/Fuzzing/corpus"

  @Test(arguments: names) func `every input of the corpus is refused or taken without a contradiction`(
    name: String
  ) throws {
    let type = try #require(FuzzTargets.named(name))
    let archive = try ZipArchive(Repository.bytes(Repository.path("\(Self.folder)/\(name).zip")))
    let target = try type.init()
    #expect(!archive.members.isEmpty)
    let step = Thoroughness.count(4, ofAll: 1)
    for (index, member) in archive.members.enumerated() where index % step == 0 {
      var input: [UInt8] = []
      do {
        try archive.forEachPiece(of: member, limit: 1 << 20) { piece, _ in input += piece }
        try target.run(input)
      } catch {
        Issue.record("\(member.name): \(error)")
      }
    }
  }

  @Test(arguments: names) func `a mutated seed is refused or taken without a contradiction`(name: String) throws {
    let type = try #require(FuzzTargets.named(name))
    let (target, seeds) = (try type.init(), try type.allSeeds)
    for number in 0..<Thoroughness.count(200, ofAll: 2_000) {
      var mutator = Mutator(seed: UInt64(number))
      let input = mutator.mutated(mutator.pick(seeds), donor: mutator.pick(seeds))
      do { try target.run(input) } catch { Issue.record("seed \(number): \(error)") }
    }
  }

  @Test func `every target has a corpus, and all of them are small`() throws {
    let corpora = Repository.names(in: Repository.path(Self.folder)).filter { $0.hasSuffix(".zip") }
    // The Python package's is replayed by the end-to-end tests.
    #expect(Set(corpora) == Set((Self.names + ["python-decoder"]).map { "\($0).zip" }))
    let bytes = try corpora.reduce(0) { $0 + (try Repository.bytes(Repository.path("\(Self.folder)/\($1)")).count) }
    #expect(bytes <= 2_000_000)
  }
}
