import FeedSync
import Testing

@Suite("Source location")
struct SourceLocationTests {
  @Test(
    "absolute paths and file URLs are paths",
    arguments: [
      ("/srv/cities.json", "/srv/cities.json"), ("file:///srv/cities.json", "/srv/cities.json"),
      ("file:/srv/a", "/srv/a"), ("FILE://localhost/srv/a", "/srv/a"), ("file:///s%20p/%C3%A9", "/s p/é"),
      ("/with:colon", "/with:colon"), ("/100%", "/100%"),
    ])
  func accepted(text: String, path: String) throws {
    #expect(try SourceLocation(text).path == path)
  }

  @Test(
    "anything else is refused by what it is",
    arguments: [
      ("cities.json", "the path is not absolute"), ("", "the path is not absolute"),
      ("https://example.org/c.json", "scheme https: is not read by this feed"),
      ("file://example.org/c.json", "the file is on another host"), ("file:c.json", "the URL's path is not absolute"),
      ("file:///%zz", "the URL's percent-encoding is wrong"), ("file:///%4", "the URL's percent-encoding is wrong"),
      ("file:///%00", "the URL's percent-encoding is wrong"), ("file:///%ff", "the URL's percent-encoding is wrong"),
    ])
  func refused(text: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try SourceLocation(text) }
    #expect(error?.description == "\(problem): \"\(text)\"; give an absolute path or a file: URL")
  }
}
