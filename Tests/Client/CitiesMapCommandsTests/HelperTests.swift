import CitiesCommands
import Glibc
import TestSupport
import Testing

@testable import CitiesMapCommands

@Suite struct HelperTests {
  @Test func aVerbThatIsNoneOfTheHelpersIsWrongUse() throws {
    let folder = try TemporaryFolder()
    let errors = open(folder.path("err"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    defer { close(errors) }
    let context = Context(diagnostics: Diagnostics(descriptor: errors), environment: { _ in nil })
    let status = run(["search", "a"], in: context) { try performInHelper($0, in: $1, drawMap) }
    #expect(status == .usage)
    #expect(try Repository.text(folder.path("err")).contains("'citiesctl search' is what you want"))
  }
}
