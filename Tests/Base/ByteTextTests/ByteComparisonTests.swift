import ByteText
import TestSupport
import Testing

/// Comparisons of text as this package compiles them: by bytes, whatever the text.
@Suite struct ByteComparisonTests {
  /// Two spellings of one letter, which the standard library calls equal.
  private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

  private struct Names: Hashable {
    var name: String
    var other: String?
    var all: [String]
  }

  private enum Word: String, CaseIterable {
    case once, step
  }

  @Test func `two spellings of one letter are two texts`() {
    let (one, other) = (Self.composed, Self.decomposed)
    #expect(!(one == other) && one != other && !(one[...] == other) && one[...] != other)
    let (some, others): (String?, String?) = (one, other)
    let isSame = some == others
    #expect(!isSame && some != others && !some.is(other) && some.is(one))
    let (list, lists): ([String]?, [String]?) = ([one], [other])
    let areSame = list == lists
    #expect(!areSame && !([one] == [other]) && [one] != [other] && ![one].contains(other))
    #expect([one].firstIndex(of: other) == nil && ![one[...]].contains(other[...]) && !(one[...] == other[...]))
    #expect(!one.hasPrefix(other) && other.hasPrefix("e") && !other.hasSuffix(one) && other.hasSuffix("\u{301}"))
    switch other {
    case one: Issue.record("a pattern matched another spelling")
    default: break
    }
    let missing: String? = nil
    #expect(missing == nil && missing != one && !missing.is(""))
  }

  @Test(arguments: [1, 63, 64, 65, 66, 1_000])
  func `long texts are equal if all of their bytes are`(count: Int) {
    let text = String(repeating: "a", count: count)
    let copy = text + ""
    #expect(text == copy && text[...] == copy[...] && text != "b" + text.dropFirst())
    #expect(text != text.dropLast() + "b" && !(text == text + "a") && text[...] != (text.dropLast() + "b")[...])
  }

  @Test func `synthesized comparisons and hashes are of bytes too`() {
    let names = Names(name: Self.composed, other: Self.composed, all: [Self.composed])
    for other in [
      Names(name: Self.decomposed, other: Self.composed, all: [Self.composed]),
      Names(name: Self.composed, other: Self.decomposed, all: [Self.composed]),
      Names(name: Self.composed, other: Self.composed, all: [Self.decomposed]),
      Names(name: Self.composed, other: nil, all: [Self.composed]),
    ] { #expect(names != other && names.hashValue != other.hashValue) }
    #expect(names == names && Set([names, names]).count == 1)
  }

  @Test func `keys are bytes`() {
    var table: [TextKey: Int] = [:]
    table[Self.composed] = 1
    table[Self.decomposed] = 2
    #expect(table[Self.composed] == 1 && table[Self.decomposed] == 2 && table["x"] == nil)
    var set: Set<TextKey> = []
    #expect(set.insert(Self.composed) && !set.insert(Self.composed) && !set.contains(Self.decomposed))
    #expect(["b", "a", Self.decomposed, "b"].distinct == ["a", "b", Self.decomposed])
  }

  @Test func `the order is that of code points`() {
    #expect(
      ["é", "z", "e\u{301}", "\u{10000}", "\u{FFFF}", ""].sorted() == [
        "", "e\u{301}", "z", "é", "\u{FFFF}", "\u{10000}",
      ])
    #expect("a" < "b" && !("b" < "a") && !("a" < "a") && "a" < "ab")
  }

  @Test func `characters are compared as bytes, one code point by its number`() {
    let accent: Character = "e\u{301}"
    #expect(accent.is("e") == false && Character("e").is("e") && !Character("\r\n").is("\n"))
    #expect("a,b,,c".split(separator: ",").count == 3 && "a,\u{301}b".split(separator: ",").count == 1)
    #expect("a,b".contains(",") && "a,b".firstIndex(of: ",") == "a,b".lastIndex(of: ","))
    #expect("a,b,,c".split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false) == ["a", "b,,c"])
  }

  @Test func `a word is one of a closed set only by its bytes`() {
    #expect(Word(word: "once") == .once && Word(word: "once"[...]) == .once && Word(word: "Once") == nil)
  }

  @Test func `a text of combining marks costs as much as one of letters`() throws {
    let count = 16_000
    func seconds(_ text: String) -> Double {
      let other = "x" + text
      return leastProcessorSeconds {
        _ = (
          text == other, text == "once", text < other, text.hasPrefix("once"), [other].contains(text),
          [other[...]].contains(text[...]), text[...] == other[...]
        )
        _ = (Word(word: text), TextKey(text).hashValue, text.split(separator: ",").count, Optional(text).is("once"))
        switch text {
        case "once", "step": Issue.record("it is no word")
        default: break
        }
      }
    }
    // A single comparison of the canonical forms takes 0.2 s.
    let (marks, letters) = (seconds(CombiningMarks.text(count)), seconds(CombiningMarks.letters(count)))
    #expect(marks <= 10 * letters + 0.05, "\(marks) s for marks, \(letters) s for letters")
  }
}
