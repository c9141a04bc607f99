import Money
import Resident
import ResidentQuestions
import TestSupport
import Testing
import TradeReference

/// Trade books with right checksums and contents that no importer writes.
@Suite("Hostile trade book")
struct HostileTradeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sound() throws -> SoundSections {
    try AnsweringFile.trade.sound(in: folder)
  }

  private func open(_ sections: SoundSections.Sections) throws -> ResidentTrade {
    try ResidentTrade(path: SoundSections.write(sections, kind: ResidentTrade.kind, in: folder))
  }

  @Test func `any section that is missing or cut is refused`() throws {
    try sound().forEachCut { sections, cut in
      #expect(throws: ResidentError.self, "\(cut)") { try open(sections) }
    }
  }

  @Test(
    arguments: [
      ("TXNS", 15, 0x7f, "not a transaction"), ("TXNS", 17, 0x7f, "not a transaction"),
      ("TXNS", 19, 0xff, "not a transaction"),
      ("SKUS", 24, 0x07, "is not a product code"),
    ] as [(FourBytes, Int, UInt8, String)])
  func `what opening trusts is reported when it is followed`(
    section: FourBytes, offset: Int, byte: UInt8, problem: String
  ) throws {
    var changed = try sound().all
    let index = try #require(changed.firstIndex { $0.name == section })
    changed[index].bytes[offset] = byte
    let trade = try open(changed)
    let error = #expect(throws: ResidentError.self) {
      for index in 0..<trade.productCount { _ = try ResidentQuestions.statement(ofProductAt: index, of: trade) }
    }
    #expect(error?.description.contains("section \(section): ") == true)
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "-")")
    #expect(error?.description.hasSuffix("citiesd-sync run --force rates transactions") == true)
  }

  @Test(
    arguments: [
      ("CURR", 7, 1, "not a currency"), ("CURR", 0, 0x41, "not a currency"), ("RATE", 0, 0, "not a rate"),
      ("RATE", 19, 0xff, "not a rate"), ("PTXN", 0, 1, "do not cover"), ("PTXN", 5, 1, "do not cover"),
      ("SKUS", 0, 0xff, "cut or overlap"), ("META", 0, 0xff, "META"),
    ] as [(FourBytes, Int, UInt8, String)])
  func `what contradicts itself is refused at opening`(section: FourBytes, offset: Int, byte: UInt8, problem: String)
    throws
  {
    var changed = try sound().all
    let index = try #require(changed.firstIndex { $0.name == section })
    changed[index].bytes[offset] = byte
    if section == "RATE", offset == 0 {
      changed[index].bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16))
    }
    let error = #expect(throws: ResidentError.self) { try open(changed) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "-")")
  }

  @Test(arguments: [0, 3, 7])
  func `an order of the source that leads outside a product is found by the proof`(byte: Int) throws {
    var changed = try sound().all
    let index = try #require(changed.firstIndex { $0.name == "TSRC" })
    let usual = try open(changed)
    try usual.prove(0..<usual.proofSteps)
    let entry = byte % changed[index].bytes.count
    changed[index].bytes[entry] = 0x7f
    let trade = try open(changed)
    #expect(throws: ResidentError.self) { try trade.prove(0..<trade.proofSteps) }
    let step = entry / 4
    let error = #expect(throws: ResidentError.self) { try trade.prove(step..<step + 1) }
    #expect(error?.description.contains("section TSRC: entry \(step) is out of range") == true)
    try trade.prove(step + 1..<trade.proofSteps)
  }

  @Test func `routes that lead in circles end`() throws {
    var changed = try sound().all
    let index = try #require(changed.firstIndex { $0.name == "NEXT" })
    for stop in [0, 1, 2, 0xff] as [UInt8] {
      changed[index].bytes = (0..<changed[index].bytes.count).map { $0 % 2 == 0 ? stop : 0 }
      let trade = try open(changed)
      try ResidentQuestions.ask(trade)
      #expect(throws: ResidentError.self) { try trade.verify() }
    }
  }
}
