import Testing

@testable import CitiesCommands

@Suite("times as people write them")
struct SpokenMomentTests {
  /// A Thursday.
  static let today = "2026-03-26T18:00:00"

  @Test(
    arguments: [
      ("9am", "09:00"), ("9 AM", "09:00"), ("12am", "00:00"), ("12pm", "12:00"), ("12:30 am", "00:30"),
      ("8:30 pm", "20:30"), ("8:30:15pm", "20:30:15"), ("9:00", "09:00"), ("14:30", "14:30"), ("Noon", "12:00"),
      ("midnight", "00:00"), ("now", nil), ("2026-03-29", "2026-03-29"), ("2026-03-29T02:30", "2026-03-29T02:30"),
      ("today 9:00", "2026-03-26T09:00"), ("tomorrow 9am", "2026-03-27T09:00"), ("yesterday noon", "2026-03-25T12:00"),
      ("fri 14:00", "2026-03-27T14:00"), ("Friday 8:30 pm", "2026-03-27T20:30"), ("thu 9am", "2026-03-26T09:00"),
      ("wednesday midnight", "2026-04-01T00:00"),
    ] as [(String, String?)])
  func `a text is a time of the first place`(text: String, sent: String?) throws {
    #expect(try #require(SpokenMoment(text)).text { Self.today } == sent)
  }

  @Test(arguments: [
    "", "9", "12", "13pm", "0am", "25:00", "9:5", "8.30pm", "noonish", "friday", "tomorrow", "fri 9", "now 9am",
    "9am fri", "pm", ":30", "9::00", "9am pm", "٩am", "-9am", "9:60pm", String(repeating: "9", count: 100) + "am",
  ])
  func `anything else is not a time`(text: String) { #expect(SpokenMoment(text) == nil) }

  @Test(
    arguments: [
      (["9am", "tokyo"], "9am", ["tokyo"]), (["8:30", "pm", "tokyo", "paris"], "8:30 pm", ["tokyo", "paris"]),
      (["friday", "8:30", "pm", "tokyo"], "friday 8:30 pm", ["tokyo"]), (["tomorrow 9am", "b"], "tomorrow 9am", ["b"]),
      (["noon", "tokyo"], "noon", ["tokyo"]), (["14:30"], "14:30", []), (["tokyo", "at", "9am"], "9am", ["tokyo"]),
      (["new", "york", "At", "fri", "noon"], "fri noon", ["new", "york"]), (["at", "9am"], "9am", []),
    ] as [([String], String, [String])])
  func `words before the places or after at are a time`(words: [String], time: String, places: [String]) throws {
    let split = try #require(try SpokenMoment.split(words))
    #expect(split.time == time && split.rest == places)
  }

  @Test(
    arguments: [
      [], ["noon"], ["midnight"], ["friday", "harbor"], ["tokyo", "9am"], ["vienna", "at"], ["vienna", "at", "paris"],
      ["588409", "at", "2761369"], ["vienna", "at", "48.2,16.4"], ["9", "tokyo"], ["miami"], ["sam"],
    ] as [[String]])
  func `other words are places`(words: [String]) throws { #expect(try SpokenMoment.split(words) == nil) }

  @Test(
    arguments: [
      ["8.30pm", "tokyo"], ["25:00", "tokyo"], ["13pm", "tokyo"], ["tokyo", "at", "9"], ["tokyo", "at", "8.30pm"],
    ])
  func `what can only be a time but is not one is refused`(words: [String]) {
    #expect(throws: ValidationError.self) { try SpokenMoment.split(words) }
  }
}
