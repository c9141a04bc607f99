import CBOR
import CBORTools
import TestSupport
import Testing

@Suite struct AnnotatedHexTests {
  @Test(
    arguments: [
      ("07", ["07 # 7"]), ("6161", ["61 61 # \"a\""]), ("60", ["60 # \"\""]), ("4201ff", ["42 01ff # h'01ff'"]),
      ("80", ["80 # array of 0"]), ("a0", ["a0 # map of 0"]), ("9fff", ["9f # array of 0", "ff # end"]),
      ("bfff", ["bf # map of 0", "ff # end"]), ("820102", ["82 # array of 2", "01 # 1", "02 # 2"]),
      ("9f8101ff", ["9f # array of 1", "81 # array of 1", "01 # 1", "ff # end"]),
      ("bf6161f5ff", ["bf # map of 1", "61 61 # \"a\"", "f5 # true", "ff # end"]),
      ("c482211903e8", ["c4 # tag 4", "82 # array of 2", "21 # -2", "1903e8 # 1000"]),
      ("c249010000000000000000", ["c2 # tag 2", "49 010000000000000000 # h'010000000000000000'"]),
      ("7f61616162ff", ["7f61616162ff # \"ab\""]), ("fb3ff199999999999a", ["fb3ff199999999999a # 1.1"]),
      ("9800", ["9800 # array of 0"]), ("f7", ["f7 # undefined"]),
    ] as [(String, [String])])
  func `each head stands in a line with its meaning`(encoding: String, lines: [String]) throws {
    let text = try annotatedHexadecimal(hex(encoding))
    let found = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(found == lines)
  }

  @Test func `children are indented and comments aligned`() throws {
    #expect(
      try annotatedHexadecimal(hex("a262696407616181f6")) == """
        a2                                            # map of 2
          62 6964                                     # "id"
          07                                          # 7
          61 61                                       # "a"
          81                                          # array of 1
            f6                                        # null

        """)
  }

  @Test(arguments: [0, 1, 23, 24, 59, 60, 61, 64, 65, 96, 97, 1_000])
  func `strings of every length show each byte once`(length: Int) throws {
    for item in [CBORValue.text(String(repeating: "x", count: length)), .bytes([UInt8](repeating: 7, count: length))] {
      let bytes = try CBORValue.array([item, .null]).encoded()
      let text = try annotatedHexadecimal(bytes)
      #expect(shownBytes(text) == bytes)
      #expect(text.contains("bytes") == (length > 60))
    }
  }

  @Test func `seeded trees show each byte once`() throws {
    var trees = RandomTrees(seed: 21)
    for _ in 0..<200 {
      let tree = trees.tree()
      for bytes in [referenceEncoding(tree), trees.otherEncoding(tree)] {
        #expect(try shownBytes(annotatedHexadecimal(bytes)) == bytes)
      }
    }
  }

  @Test(arguments: AppendixATests.lenient.map(\.encoding))
  func `indefinite lengths show each byte once`(encoding: String) throws {
    #expect(try shownBytes(annotatedHexadecimal(hex(encoding))) == hex(encoding))
  }

  /// The golden bytes were annotated by another program, which escapes no quotes.
  @Test func `golden bytes are annotated as they stand in their files`() throws {
    let folder = Repository.path("Protocol/vectors")
    var compared = 0
    for name in Repository.names(in: folder) where name.hasSuffix(".hex") {
      let file = try Repository.text("\(folder)/\(name)").split(separator: "\n").filter { !$0.hasPrefix("#") }
      // Long texts are broken there without indentation.
      guard !file.contains(where: { $0.hasSuffix(" bytes of text") }) else { continue }
      let bytes = shownBytes(file.joined(separator: "\n"))
      let lines = file.map { $0.replacing("# True", with: "# true").replacing("# False", with: "# false") }
      let annotated = try annotatedHexadecimal(bytes).replacing(#"\""#, with: "\"").split(separator: "\n")
      #expect(annotated == lines, "\(name)")
      compared += 1
    }
    #expect(compared > 40)
  }

  @Test(arguments: ["", "82", "8201", "f97e00", "0101", "ff", "62c328"])
  func `what is no item is refused`(encoding: String) {
    #expect(throws: CBORError.self) { try annotatedHexadecimal(hex(encoding)) }
  }

  /// The bytes left of the comments.
  private func shownBytes(_ text: String) -> [UInt8] {
    hex(text.split(separator: "\n").map { $0.prefix { $0 != "#" } }.joined())
  }
}
