import Resident
import ResidentQuestions
import TestSupport
import Testing

/// The kinds of files that answer requests.
enum AnsweringFile: CaseIterable {
  case cities, banks, trade

  var kind: ResidentKind {
    switch self {
    case .cities: ResidentCities.kind
    case .banks: ResidentBanks.kind
    case .trade: ResidentTrade.kind
    }
  }

  /// The sections of a sound file.
  func sound(in folder: TemporaryFolder) throws -> SoundSections {
    let image =
      switch self {
      case .cities: try ResidentCitiesTests.sound()
      case .banks: try ResidentBanksTests.sound()
      case .trade: try TradeBooks.image(of: TradeBooks.hard())
      }
    return try SoundSections(of: image, kind: kind, in: folder)
  }

  /// Opens a file; the result asks everything of it.
  func open(_ path: String) throws -> () throws -> Void {
    switch self {
    case .cities:
      let resident = try ResidentCities(path: path)
      return { withExtendedLifetime(resident) { ResidentQuestions.ask(resident) } }
    case .banks:
      let resident = try ResidentBanks(path: path)
      return { try withExtendedLifetime(resident) { try ResidentQuestions.ask(resident) } }
    case .trade:
      let resident = try ResidentTrade(path: path)
      return { try withExtendedLifetime(resident) { try ResidentQuestions.ask(resident) } }
    }
  }
}

/// Files with right checksums and contents that no importer writes, and files that change while they are read.
@Suite struct HostileFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func openAndAsk(_ file: AnsweringFile, _ sections: SoundSections.Sections) throws {
    let ask = try? file.open(SoundSections.write(sections, kind: file.kind, in: folder))
    try ask?()
  }

  @Test(arguments: AnsweringFile.allCases)
  func `any section that is missing, empty or cut is refused, or answers without a trap`(file: AnsweringFile) throws {
    try file.sound(in: folder).forEachCut { sections, _ in try openAndAsk(file, sections) }
  }

  @Test(arguments: AnsweringFile.allCases, 0..<UInt64(Thoroughness.count(1, ofAll: 4)))
  func `any changed byte with right checksums is refused or answers without a trap`(
    file: AnsweringFile, seed: UInt64
  ) throws {
    try file.sound(in: folder).forEachChangedByte(seed: seed) { try openAndAsk(file, $0) }
  }

  @Test(arguments: AnsweringFile.allCases, Mutations.parts(of: .files))
  func `a file of mutated sections with right checksums is refused or answers`(
    file: AnsweringFile, part: Mutations
  ) throws {
    try file.sound(in: folder).forEachMutation(part) { try openAndAsk(file, $0) }
  }

  @Test(arguments: AnsweringFile.allCases, 0..<8)
  func `a file that is overwritten after it was opened answers without a trap`(
    file: AnsweringFile, part: UInt64
  ) throws {
    let seeds = part * 40..<(part + 1) * 40
    try file.sound(in: folder).forEachOverwriting(kind: file.kind, in: folder, seeds: seeds) { path, overwrite in
      let ask = try file.open(path)
      try overwrite()
      try ask()
    }
  }
}
