import CitiesProtocol
import FeedSync
import Glibc
import TestSupport
import Testing

@Suite("Header file")
struct HeaderFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func header(_ text: String, mode: mode_t = 0o600) throws -> HeaderFile {
    let path = try folder.write("token", Array(text.utf8))
    chmod(path, mode)
    return HeaderFile(name: "Authorization", source: path, credentials: nil)
  }

  @Test(
    arguments: ["Bearer t", "Bearer t\n", "Bearer t\r\n", " Bearer t \n", "\tBearer t"])
  func `the value is the file's one line, without the space around it`(text: String) throws {
    #expect(try header(text).line() == "Authorization: Bearer t")
  }

  @Test(
    arguments: [
      "secret\n\n", "secret\nX: y", "secret\r\nX: y\r\n", "secret\r", "secret\u{0}", "sécret", "secret\u{7F}",
      "secret\u{B}", "", "\n", "  ", "\r\n", String(repeating: "secret", count: 1_366),
    ])
  func `what could be more than one header, or none, is refused without being shown`(text: String) throws {
    let header = try header(text)
    let error = #expect(throws: FeedError.self) { try header.line() }
    #expect(error?.reason == .badData)
    #expect(error?.description.contains("secret") == false)
    #expect(error?.description.hasPrefix("header Authorization: ") == true)
  }

  @Test func `a file that everybody can read is warned of, in the configuration's words`() throws {
    let path = folder.path("token")
    #expect(try header("t", mode: 0o640).warning(key: "k", in: "f") == nil)
    let warning = try header("t", mode: 0o644).warning(key: "k", in: "f")
    #expect(warning?.hasPrefix("f: k: every user can read \(path); ch") == true)
    #expect(warning?.hasSuffix(" \(path)") == true)
    #expect(HeaderFile(name: "X", source: folder.path("none"), credentials: nil).warning(key: "k", in: "f") == nil)
  }

  @Test(
    arguments: ["", ".", "..", "../token", "a/b"])
  func `a credential is a name and lies in the service manager's folder`(name: String) {
    let error = #expect(throws: FeedError.self) {
      try HeaderFile(name: "X", source: name, credentials: folder.path("")).line()
    }
    #expect(error?.description.contains("expected an absolute path or the name of a credential") == true)
  }

  @Test(
    arguments: [
      ("Authorization", true), ("X-Api_Key", true), ("cookie", true), ("Accept", true), ("", false), ("A B", false),
      ("A:", false), ("A\r\n", false), ("É", false), ("Host", false), ("content-LENGTH", false), ("User-Agent", false),
    ])
  func `a header's name is a token that the program does not set itself`(name: String, isGood: Bool) {
    #expect((HeaderFile.problem(withName: name) == nil) == isGood)
  }

  @Test func `a configured header is a request's, in the place of the feed's own, and read for each request`() throws {
    var subject = try TestSubject { _ in body("[1]") }
    let path = try folder.write("token", Array("one".utf8))
    let file = try folder.write(
      "sync.json", Array(#"{"feeds":{"swedbank-ee":{"headers":{"cookie":{"file":"\#(path)"}}}}}"#.utf8))
    subject.configuration = try SyncConfiguration(environment: ["CITIES_SYNC_CONFIG": file], user: 1000)
    _ = subject.refresh()
    try folder.write("token", Array("two".utf8))
    _ = subject.refresh(force: true)
    #expect(subject.web.asked.map(\.headers) == [[], []])
    #expect(subject.web.asked.map(\.secrets) == [["cookie: one"], ["cookie: two"]])
    try folder.write("token", Array("two\nthree".utf8))
    #expect(subject.refresh(force: true).error?.hasPrefix("header cookie: ") == true)
    #expect(subject.web.asked.count == 2)
  }
}
