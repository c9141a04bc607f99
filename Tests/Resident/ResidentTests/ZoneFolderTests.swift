import Base
import CivilTime
import Resident
import TestSupport
import Testing

@Suite("The folder of time zones")
struct ZoneFolderTests {
  let folder: TemporaryFolder
  var zones: ZoneFolder { ZoneFolder(path: folder.path) }

  init() throws { folder = try TemporaryFolder() }

  @Test(
    .enabled(if: Repository.exists("/usr/share/zoneinfo/Europe/Tallinn"), "no tzdata on this machine"))
  func `a zone of the machine is read`() throws {
    let tallinn = try ZoneFolder.system.rules(for: "Europe/Tallinn")
    #expect(tallinn.offset(at: try RFC3339.parse("2026-01-15T12:00:00Z")).seconds == 7_200)
    #expect(tallinn.offset(at: try RFC3339.parse("2026-07-15T12:00:00Z")).seconds == 10_800)
  }

  @Test(arguments: ["", "../etc/passwd", "/etc/passwd", "a b"])
  func `an invalid name is refused before a file is opened`(name: String) {
    let error = #expect(throws: ZoneFolderError.self) { try zones.rules(for: name) }
    #expect(error?.description == "no time zone \"\(name)\": not a name such as Europe/Vilnius")
  }

  @Test func `a long name is named by its beginning, measured in code points`() {
    let refusal = refusal("a" + String(repeating: "\u{301}", count: 20_000))
    #expect(refusal.map { $0.utf8.count < 300 } == true)
  }

  @Test func `a zone that is missing, a folder, or no zone is refused with its path`() throws {
    #expect(refusal("Moon") == "no time zone \"Moon\": there is no such file in \(folder.path) (package tzdata)")
    try folder.write("Text", Array("no zone".utf8))
    #expect(refusal("Text")?.contains("\(folder.path)/Text: the header: expected 44 bytes, found 7") == true)
    try folder.write("Long", [UInt8](repeating: 0, count: ZoneRules.maximumFileBytes + 9))
    #expect(refusal("Long")?.contains("at most \(ZoneRules.maximumFileBytes) are read") == true)
    let parent = ZoneFolder(path: "/")
    let error = #expect(throws: ZoneFolderError.self) { try parent.rules(for: "tmp") }
    #expect(error?.description == "no time zone \"tmp\": //tmp: read: Is a directory")
  }

  private func refusal(_ name: String) -> String? {
    do throws(ZoneFolderError) {
      _ = try zones.rules(for: name)
      return nil
    } catch {
      return error.description
    }
  }
}
