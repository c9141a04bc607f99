import FeedSync
import Testing

@Suite("Source location")
struct SourceLocationTests {
  @Test(
    arguments: [
      ("/srv/cities.json", "/srv/cities.json"), ("file:///srv/cities.json", "/srv/cities.json"),
      ("file:/srv/a", "/srv/a"), ("FILE://localhost/srv/a", "/srv/a"), ("file:///s%20p/%C3%A9", "/s p/é"),
      ("/with:colon", "/with:colon"), ("/100%", "/100%"),
    ])
  func `absolute paths and file URLs are paths`(text: String, path: String) throws {
    #expect(try SourceLocation(text) == .file(path: path))
  }

  @Test(
    arguments: [
      "https://example.org/c.json", "HTTPS://example.org", "https://[2001:db8::1]:8443/c?d=e",
      "http://127.0.0.1:8080/c",
      "http://127.9.9.9/", "http://localhost/c", "http://LOCALHOST:80/", "http://[::1]:80/c",
    ])
  func `HTTPS: is downloaded, and HTTP: from this machine alone`(text: String) throws {
    #expect(try SourceLocation(text) == .web(url: text))
  }

  @Test(
    arguments: [
      ("cities.json", "the path is not absolute"), ("", "the path is not absolute"),
      ("ftp://example.org/c.json", "the scheme ftp: is not read"),
      ("http://example.org/", "http: is for this machine only"),
      ("http://127.0.0.1.example.org/", "http: is for this machine only"),
      ("http://localhost.example.org/", "http: is for this machine only"),
      ("http://128.0.0.1/", "http: is for this machine only"), ("http://[::2]/", "http: is for this machine only"),
      ("https://me:secret@example.org/", "no URL that can be downloaded, or one with a user's name in it"),
      ("http://127.0.0.1@example.org/", "no URL that can be downloaded, or one with a user's name in it"),
      ("https://", "no URL that can be downloaded, or one with a user's name in it"),
      ("https://exa mple.org/", "no URL that can be downloaded, or one with a user's name in it"),
      ("file://example.org/c.json", "the file is on another host"), ("file:c.json", "the URL's path is not absolute"),
      ("file:///%zz", "the URL's percent-encoding is wrong"), ("file:///%4", "the URL's percent-encoding is wrong"),
      ("file:///%00", "the URL's percent-encoding is wrong"), ("file:///%ff", "the URL's percent-encoding is wrong"),
    ])
  func `anything else is refused by what it is`(text: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try SourceLocation(text) }
    let shown = SourceLocation.shown(text)
    #expect(error?.description == "\(problem): \"\(shown)\"; give an https: URL, an absolute path or a file: URL")
  }

  @Test(
    arguments: [
      ("https://me:secret@example.org/a@b", "https://…@example.org/a@b"), ("https://me@a@b", "https://…@b"),
      ("ftp://u:p@h?q", "ftp://…@h?…"), ("https://example.org/?m=a@b", "https://example.org/?…"),
      ("/srv/a@b", "/srv/a@b"), ("/srv/a?b", "/srv/a?b"), ("https://example.org", "https://example.org"), ("", ""),
      ("https://h/a?t=1#u", "https://h/a?…"), ("https://h/a#t", "https://h/a#…"), ("https://h?t", "https://h?…"),
      ("https:h?t", "https:h?…"), ("https:u:p@h?t", "https:…@h?…"), ("https:?t", "https:?…"), ("x:", "x:"),
      ("https://me:pa?ss@h/", "https://…"), ("https://me:pa/ss@h/", "https://…"),
      ("https://h:8443/a", "https://h:8443/a"),
      ("https://[::1]:8443/a?t", "https://[::1]:8443/a?…"), ("https:\\\\u:p@h\\a", "https:\\\\…@h\\a"), ("a?b", "a?b"),
    ])
  func `a name, a password and what follows the path of a URL are never shown`(text: String, shown: String) {
    #expect(SourceLocation.shown(text) == shown)
  }

  @Test func `a URL within a message of a library's is shown in the same way`() {
    #expect(
      SourceLocation.withShownURLs("cannot follow \"https://u:p@h/a?t\" now: 3")
        == "cannot follow \"https://…@h/a?… now: 3")
  }
}
