import FeedSync
import Glibc
import Resident
import ResidentQuestions
import TestSupport

/// A resident file with edited sections and right checksums, which is opened, verified and asked everything.
///
/// An input consists of edits: the number of a section, the place in it (3 bytes), how many bytes are removed there,
/// how many come instead, and those.
struct EditedFile {
  private let kind: ResidentKind
  private let sound: SoundSections.Sections
  private let folder: TemporaryFolder

  /// Takes the sections of a sound file.
  init(_ image: ResidentImage, _ kind: ResidentKind) throws {
    folder = try TemporaryFolder()
    sound = try SoundSections(of: image, kind: kind, in: folder).all.filter { $0.name != BlockSums.section }
    self.kind = kind
  }

  /// One edit of each section, which changes nothing.
  static var seeds: [[UInt8]] { (UInt8(0)..<24).map { [$0, 0, 0, 0, 0, 0] } }

  /// Calls `body` with the path of the edited file.
  func run(_ input: [UInt8], _ body: (String) throws -> Void) throws {
    var (edits, sections) = (FuzzInput(input), sound)
    while !edits.isEmpty {
      let place = edits.number(width: 1) % sections.count
      let offset = edits.number(width: 3) % (sections[place].bytes.count + 1)
      let removed = edits.number(width: 1)
      let added = edits.bytes(atMost: edits.number(width: 1))
      let end = min(offset + removed, sections[place].bytes.count)
      sections[place].bytes.replaceSubrange(offset..<end, with: added)
    }
    let path = try SoundSections.write(sections, kind: kind, in: folder)
    _ = try? Verification.line(for: path)
    try body(path)
  }
}

/// Lists of cities whose sections contradict each other.
final class CityIndexTarget: FuzzTarget {
  static let name = "city-index"
  static var seeds: [[UInt8]] { EditedFile.seeds }
  private let file: EditedFile

  init() throws { file = try EditedFile(SampleFiles.cities(), ResidentCities.kind) }

  func run(_ input: [UInt8]) throws {
    try file.run(input) { path in
      guard let cities = try? ResidentCities(path: path) else { return }
      withExtendedLifetime(cities) { ResidentQuestions.ask(cities) }
    }
  }
}

/// Locations of banks whose sections contradict each other.
final class BankIndexTarget: FuzzTarget {
  static let name = "bank-index"
  static var seeds: [[UInt8]] { EditedFile.seeds }
  private let file: EditedFile

  init() throws { file = try EditedFile(SampleFiles.banks(), ResidentBanks.kind) }

  func run(_ input: [UInt8]) throws {
    try file.run(input) { path in
      guard let banks = try? ResidentBanks(path: path) else { return }
      try withExtendedLifetime(banks) { try ResidentQuestions.ask(banks) }
    }
  }
}

/// Rates and transactions whose sections contradict each other.
final class TradeBookTarget: FuzzTarget {
  static let name = "trade-book"
  static var seeds: [[UInt8]] { EditedFile.seeds }
  private let file: EditedFile

  init() throws { file = try EditedFile(SampleFiles.trade(), ResidentTrade.kind) }

  func run(_ input: [UInt8]) throws {
    try file.run(input) { path in
      guard let trade = try? ResidentTrade(path: path) else { return }
      try withExtendedLifetime(trade) { try ResidentQuestions.ask(trade) }
    }
  }
}

/// The header of a resident file.
final class HeaderTarget: FuzzTarget {
  static let name = "headers"
  static var seeds: [[UInt8]] {
    get throws { [try SampleFiles.cities(), try SampleFiles.trade()].map { Array($0.bytes.prefix(1_024)) } }
  }

  init() {}

  func run(_ input: [UInt8]) throws {
    if let problem = ResidentQuestions.misreading(ofHeader: input) { throw FuzzFinding(problem) }
  }
}
