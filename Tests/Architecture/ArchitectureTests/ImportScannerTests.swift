import Testing

/// The checker itself: an import that it overlooks would be a rule that nobody keeps.
@Suite struct ImportScannerTests {
  @Test(arguments: [
    ("import Foundation", "Foundation"),
    ("  import   Glibc  ", "Glibc"),
    ("public import CBOR", "CBOR"),
    ("package import CitiesProtocol", "CitiesProtocol"),
    ("@preconcurrency import Dispatch", "Dispatch"),
    ("@testable import Resident", "Resident"),
    ("@_spi(Testing) public import Text", "Text"),
    ("import struct Foundation.URL", "Foundation"),
    ("private import func Glibc.exit", "Glibc"),
    ("import Foundation.NSURL", "Foundation"),
    ("import Text // folding", "Text"),
    ("/* why */ import Text", "Text"),
    ("let a = \"/*\"; import Text", "Text"),
  ])
  func `one import is found whatever surrounds it`(source: String, module: String) {
    #expect(ImportScanner.imports(in: source) == [ImportLine(module: module, line: 1)])
  }

  @Test(arguments: [
    "", "// import Foundation", "/* import Foundation */", "/* a\nimport Foundation\n*/",
    "/* /* */ import Foundation */",
    "let text = \"import Foundation\"", "let text = \"\"\"\nimport Foundation\n\"\"\"", "importantFunction()",
    "let a = \"\\\" // \"", "`import` = 1", "func f() { import_ }",
  ])
  func `what is no import is not found`(source: String) {
    #expect(ImportScanner.imports(in: source) == [])
  }

  @Test func `lines and several imports of a line are counted`() {
    let source = "// head\nimport A; import B\n\n#if os(Linux)\n  import C\n#endif\n/* x\n*/ import D"
    #expect(
      ImportScanner.imports(in: source) == [
        ImportLine(module: "A", line: 2), ImportLine(module: "B", line: 2), ImportLine(module: "C", line: 5),
        ImportLine(module: "D", line: 8),
      ])
  }
}
