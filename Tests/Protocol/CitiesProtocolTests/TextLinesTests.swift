import CBOR
import CitiesProtocol
import TestSupport
import Testing

@Suite struct TextLinesTests {
  private static let columns: [[String]] = [
    [], [""], ["", ""], ["Tallinn"], ["Tallinn", "", "Köln"], ["", "a"], ["a\r", "東京", "\u{301}"],
  ]

  @Test(arguments: columns) func `texts come back as they were`(texts: [String]) throws {
    let lines = TextLines(texts)
    #expect(lines.texts == texts && lines.count == texts.count)
    #expect(lines.text == texts.map { $0 + "\n" }.joined())
    let bytes = try CBOREncoder().encode(lines)
    #expect(try CBORDecoder().decode(String.self, from: bytes) == lines.text)
    #expect(try CBORDecoder().decode(TextLines.self, from: bytes) == lines)
    #expect(try CBORDecoder().decode(TextLines.self, from: CBOREncoder().encode(texts)) == lines)
  }

  @Test func `the last line need not be ended, and a line feed within a text is a space`() {
    #expect(TextLines(lines: "a\nb") == TextLines(["a", "b"]) && TextLines(lines: "a\nb\n") == TextLines(["a", "b"]))
    #expect(TextLines(lines: "\n").texts == [""] && TextLines(lines: "").texts.isEmpty)
    #expect(TextLines(["a\nb", "c\r\nd\n"]).text == "a b\nc\r d \n")
  }

  @Test(
    arguments: [
      [0x01], [0xF6], [0x41, 0x61], [0x81, 0x01], [0x81, 0xF6], [0xA0], [0x61, 0xFF], [0x62, 0x61], [],
    ] as [[UInt8]])
  func `anything else is refused`(bytes: [UInt8]) {
    #expect(throws: CBORError.self) { try CBORDecoder().decode(TextLines.self, from: bytes) }
  }

  @Test(arguments: Mutations.parts(of: .params))
  func `mutated lines are refused, or lines`(part: Mutations) throws {
    let corpus = try Self.columns.flatMap { [try CBOREncoder().encode(TextLines($0)), try CBOREncoder().encode($0)] }
    try part.run { mutator in
      let mutated = mutator.mutated(mutator.pick(corpus), donor: mutator.pick(corpus))
      guard let lines = try? CBORDecoder().decode(TextLines.self, from: mutated) else { return }
      let isSame = TextLines(lines.texts) == lines && lines.count == lines.texts.count
      if !isSame { Issue.record("read otherwise: \(mutated)") }
    }
  }
}
