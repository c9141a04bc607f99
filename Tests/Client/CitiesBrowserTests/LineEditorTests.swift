import Testing

@testable import CitiesBrowser

@Suite("A line that is typed")
struct LineEditorTests {
  private func line(_ keys: KeyPress..., from text: String = "") -> LineEditor {
    var line = LineEditor(text)
    for key in keys { _ = line.press(key) }
    return line
  }

  @Test func `characters are inserted at the caret, and the keys of a line move and remove`() {
    #expect(line(.character("a"), .character("b")).text == "ab")
    #expect(line(.left, .character("x"), from: "ab").text == "axb")
    #expect(line(.backspace, from: "ab").text == "a")
    #expect(line(.backspace).text == "")
    #expect(line(.control("a"), .delete, from: "ab").text == "b")
    #expect(line(.delete, from: "ab").text == "ab")
    #expect(line(.left, .control("u"), from: "abc").text == "c")
    #expect(line(.control("a"), .right, .control("k"), from: "abc").text == "a")
    #expect(line(.control("w"), from: "new york").text == "new ")
    #expect(line(.control("w"), from: "new york  ").text == "new ")
    #expect(line(.control("w"), from: "new").text == "")
    #expect(line(.control("w")).text == "")
    #expect(line(.control("a"), .control("e"), .character("!"), from: "ab").text == "ab!")
  }

  @Test func `a combining mark joins the character before it`() {
    let joined = line(.character("e"), .character("\u{301}"), .backspace, from: "")
    #expect(joined.text == "")
    #expect(line(.character("e"), .character("\u{301}"), .character("t")).caret == 2)
  }

  @Test func `a line has an end`() {
    var line = LineEditor(String(repeating: "a", count: 2 * LineEditor.limit))
    #expect(line.text.count == LineEditor.limit)
    let isTaken = line.press(.character("b"))
    #expect(isTaken)
    #expect(line.text.count == LineEditor.limit)
  }

  @Test func `other keys are not a line's`() {
    var line = LineEditor("a")
    for key in [KeyPress.enter, .escape, .up, .tab, .control("c"), .alt("a"), .function(1)] {
      let isTaken = line.press(key)
      #expect(!isTaken)
    }
    #expect(line.text == "a")
  }
}
